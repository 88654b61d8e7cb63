"""Asks for two stations and tells the way."""

import argparse
import json
import sys

from network import MODES, Network

PROMPT = "Enter 'Starting Station;Ending Station' (empty line to leave): "


def text_of(path):
    lines = ["", "--- Path Query Result ---"]
    lines += [f"Start Station: {path.stations[0]}", f"End Station: {path.stations[-1]}", ""]
    lines.append("Detailed Path:")
    for number, (line, stations) in enumerate(path.legs, start=1):
        mark = " [Transfer Station]" if number < len(path.legs) else ""
        lines.append(f"  {line}: {' → '.join(stations)}{mark}")
    count = path.transfers
    lines += [
        "",
        f"Total Distance: {path.distance} meters ({path.distance / 1000:.2f} km)",
        f"Estimated Fare: {path.fare} yuan",
        f"Estimated Travel Time: {path.minutes} minutes",
        f"Transfer Count: {count} time{'' if count == 1 else 's'}",
    ]
    return "\n".join(lines) + "\n"


def json_of(path):
    result = {
        "path": path.stations,
        "total_distance": path.distance,
        "fare": path.fare,
        "estimated_time": path.minutes,
        "transfer_count": path.transfers,
        "lines_involved": path.lines,
    }
    query = {"start_station": path.stations[0], "end_station": path.stations[-1]}
    return json.dumps({"query": query, "result": result}, indent=2, ensure_ascii=False)


def answer(network, line, options):
    parts = [part.strip() for part in line.split(";")]
    if len(parts) != 2 or not all(parts):
        print("Input format incorrect, please use 'Starting Station;Ending Station' format.")
        return
    for station in parts:
        if station not in network.stations:
            print(f"Station '{station}' does not exist, please check the station name.")
            return
    if parts[0] == parts[1]:
        print("Starting station cannot be the same as the ending station.")
        return
    path = network.path(*parts, options.mode, options.max_transfers, options.line_preference)
    if path is None:
        print("There is no such path within these limits.")
        return
    print(text_of(path))
    if options.output_file:
        written = json_of(path) if options.format == "json" else text_of(path)
        with open(options.output_file, "w", encoding="utf-8") as file:
            file.write(written)
        print(f"Exported to {options.output_file}.")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output_file")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--mode", choices=MODES, default="shortest_distance")
    parser.add_argument("--max_transfers", type=int)
    parser.add_argument("--line_preference")
    parser.add_argument("--check_data", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    network = Network.load()
    if options.check_data:
        problems = network.problems()
        print(f"{len(network.stations)} stations, {len(problems)} problems.")
        sys.exit(1 if problems else 0)
    print("=== Beijing Subway Fares ===")
    while True:
        try:
            line = input(PROMPT).strip()
        except EOFError:
            print("\nGoodbye.")
            return
        if not line:
            return
        answer(network, line, options)


if __name__ == "__main__":
    main()
