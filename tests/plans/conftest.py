"""The submissions are projects under test: their tests are not ours to collect."""

collect_ignore = ["huffman", "subway", "subway_given"]
