from network import fare


class TestFare:
    def test_fare_calculation(self):
        assert [fare(m) for m in (2142, 11451, 13771, 25000)] == [3, 4, 5, 6]

    def test_fare_boundary_conditions(self):
        assert [fare(m) for m in (5999, 6000, 11999, 12000)] == [3, 4, 4, 5]
        assert [fare(m) for m in (21999, 22000, 31999, 32000)] == [5, 6, 6, 7]

    def test_extended_fare_rules(self):
        assert [fare(m) for m in (40000, 51999, 52000, 71999, 72000)] == [7, 7, 8, 8, 9]
