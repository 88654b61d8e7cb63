import time

from network import Network


class TestPerformance:
    def test_response_time(self):
        network = Network.load()
        for start, end in (
            ("Tiananmen East", "Xidan"),
            ("Fengtai East Street", "Xidan"),
            ("Tiananmen East", "Zhongguancun"),
            ("Pingguoyuan", "Fengbo"),
            ("Dongdan", "Zhongguancun"),
        ):
            began = time.process_time()
            assert network.path(start, end)
            assert time.process_time() - began < 1
