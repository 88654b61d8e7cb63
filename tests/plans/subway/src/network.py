"""The network of stations, shortest paths, fares and times."""

import heapq
import itertools
import json
import math
import os

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "subway_data.json")
MODES = ("shortest_distance", "least_transfer", "comprehensive")
TRANSFER_M = {"shortest_distance": 0, "least_transfer": 1_000_000, "comprehensive": 2000}


class Network:
    def __init__(self, stations, connections):
        self.stations = {station["name"]: list(station["lines"]) for station in stations}
        self.edges = {name: [] for name in self.stations}
        for one in connections:
            self.connect(one["source"], one["dest"], one["distance"], one["line"])

    @classmethod
    def load(cls, path=DATA):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        return cls(data["stations"], data["connections"])

    def add_station(self, name, line):
        self.stations.setdefault(name, [])
        if line not in self.stations[name]:
            self.stations[name].append(line)
        self.edges.setdefault(name, [])

    def connect(self, one, other, metres, line):
        self.edges[one].append((other, metres, line))
        self.edges[other].append((one, metres, line))

    def problems(self):
        found = [name for name, edges in self.edges.items() if not edges]
        negative = [n for n, edges in self.edges.items() for e in edges if e[1] <= 0]
        return found + negative

    def path(self, start, end, mode="shortest_distance", max_transfers=None, preferred=None):
        """Dijkstra over (station, line): a change of line is a transfer."""
        order = itertools.count()
        heap = [(0.0, next(order), start, None, 0, ())]
        seen = set()
        while heap:
            cost, _, station, line, transfers, steps = heapq.heappop(heap)
            key = (station, line) if max_transfers is None else (station, line, transfers)
            if key in seen:
                continue
            seen.add(key)
            if station == end:
                return Path(start, steps)
            for other, metres, next_line in self.edges[station]:
                change = int(line is not None and next_line != line)
                if max_transfers is not None and transfers + change > max_transfers:
                    continue
                weight = metres * (0.8 if next_line == preferred else 1.0)
                total = cost + weight + change * TRANSFER_M[mode]
                step = (*steps, (other, metres, next_line))
                heapq.heappush(
                    heap, (total, next(order), other, next_line, transfers + change, step)
                )
        return None


class Path:
    def __init__(self, start, steps):
        self.stations = [start, *(station for station, _, _ in steps)]
        self.distance = sum(metres for _, metres, _ in steps)
        self.legs = []
        previous = start
        for station, _, line in steps:
            if not self.legs or self.legs[-1][0] != line:
                self.legs.append((line, [previous]))
            self.legs[-1][1].append(station)
            previous = station

    @property
    def transfers(self):
        return max(0, len(self.legs) - 1)

    @property
    def lines(self):
        return list(dict.fromkeys(line for line, _ in self.legs))

    @property
    def fare(self):
        return fare(self.distance)

    @property
    def minutes(self):
        return minutes(self.distance, self.transfers)


def fare(metres):
    kilometres = metres / 1000
    for limit, yuan in ((6, 3), (12, 4), (22, 5), (32, 6)):
        if kilometres < limit:
            return yuan
    return 7 + math.floor((kilometres - 32) / 20)


def minutes(metres, transfers):
    return round(metres / 1000 * 1.5 + transfers * 5)
