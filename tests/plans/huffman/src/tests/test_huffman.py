import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from huffman import build_huffman_tree, frequencies, generate_huffman_codes


class TestHuffman:
    def test_build_huffman_tree(self):
        tree = build_huffman_tree({"a": 5, "b": 9, "c": 12, "d": 13, "e": 16, "f": 45})
        assert tree["frequency"] == 100
        assert tree["left"]["character"] == "f"
        assert tree["right"]["frequency"] == 55

    def test_generate_huffman_codes(self):
        codes = generate_huffman_codes(build_huffman_tree(frequencies("AABBBCCCCDDDDDE")))
        assert codes == {"B": "00", "E": "010", "A": "011", "C": "10", "D": "11"}

    def test_build_tree_with_insufficient_nodes(self):
        with pytest.raises(ValueError):
            build_huffman_tree({"a": 1})
