import pytest
from network import Network, minutes


@pytest.fixture(scope="module")
def network():
    return Network.load()


class TestPathfinding:
    def test_shortest_path(self, network):
        for start, end, metres in (
            ("Tiananmen East", "Xidan", 2142),
            ("Fengtai East Street", "Xidan", 11451),
            ("Tiananmen East", "Zhongguancun", 13771),
        ):
            assert network.path(start, end).distance == metres

    def test_least_transfer_mode(self, network):
        direct = network.path("Tiananmen East", "Zhongguancun", "least_transfer")
        assert direct.transfers == 1

    def test_comprehensive_mode(self, network):
        both = network.path("Tiananmen East", "Zhongguancun", "comprehensive")
        short = network.path("Tiananmen East", "Zhongguancun")
        assert both.transfers < short.transfers
        assert both.distance < 2 * short.distance

    def test_path_preferences(self, network):
        path = network.path("Tiananmen East", "Zhongguancun", max_transfers=2, preferred="Line 4")
        assert path.transfers <= 2
        assert "Line 4" in path.lines

    def test_max_transfers_limit(self, network):
        assert network.path("Tiananmen East", "Zhongguancun", max_transfers=0) is None
        assert network.path("Tiananmen East", "Zhongguancun", max_transfers=1).transfers == 1

    def test_line_preference(self, network):
        plain = network.path("Tiananmen East", "Zhongguancun")
        liked = network.path("Tiananmen East", "Zhongguancun", preferred="Line 4")
        assert liked.legs.__len__() <= plain.legs.__len__()
        assert "Line 4" in liked.lines

    def test_complex_transfer_handling(self, network):
        assert len(network.stations["Xizhimen"]) >= 3
        path = network.path("Xinjiekou", "Dazhongsi")
        assert (path.transfers, path.stations[1]) == (1, "Xizhimen")

    def test_time_estimation(self):
        assert minutes(13771, 4) == 41
        assert minutes(10000, 0) == 15
