"""Huffman trees and codes."""

import heapq
import itertools


def frequencies(text):
    table = {}
    for character in text:
        table[character] = table.get(character, 0) + 1
    return table


def build_huffman_tree(table):
    if len(table) < 2:
        raise ValueError("Input must contain at least two characters to build a Huffman tree.")
    order = itertools.count()
    heap = [
        (weight, next(order), {"character": c, "frequency": weight}) for c, weight in table.items()
    ]
    heapq.heapify(heap)
    while len(heap) > 1:
        first, _, left = heapq.heappop(heap)
        second, _, right = heapq.heappop(heap)
        node = {"character": None, "frequency": first + second, "left": left, "right": right}
        heapq.heappush(heap, (first + second, next(order), node))
    return heap[0][2]


def generate_huffman_codes(node, prefix=""):
    if node["character"] is not None:
        return {node["character"]: prefix}
    left = generate_huffman_codes(node["left"], prefix + "0")
    return {**left, **generate_huffman_codes(node["right"], prefix + "1")}


def _row(node, position):
    return {
        "character": node["character"],
        "frequency": node["frequency"],
        "position": position,
    }


def level_order(tree):
    rows, waiting = [], [(tree, "root")]
    while waiting:
        node, position = waiting.pop(0)
        rows.append(_row(node, position))
        if node["character"] is None:
            waiting += [(node["left"], "left_child"), (node["right"], "right_child")]
    return rows


def pre_order(node, position="root"):
    rows = [_row(node, position)]
    if node["character"] is None:
        rows += pre_order(node["left"], "left_child")
        rows += pre_order(node["right"], "right_child")
    return rows
