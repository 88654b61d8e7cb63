from network import Network


class TestData:
    def test_data_coverage(self):
        wanted = ("Tiananmen East", "Xidan", "Chaoyangmen", "Dongzhimen", "Zhongguancun", "Dongdan")
        assert set(wanted) <= set(Network.load().stations)

    def test_data_management(self):
        network = Network.load()
        assert network.problems() == []
        network.add_station("Test Garden", "Line 99")
        assert network.problems() == ["Test Garden"]
        network.connect("Xidan", "Test Garden", 800, "Line 99")
        assert network.path("Test Garden", "Tiananmen East").distance == 2942
