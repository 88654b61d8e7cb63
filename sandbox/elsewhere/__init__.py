"""The tests' own calls made again outside of the test runner: the same answer in another place?"""
