"""One tiny repository an ecosystem, judged on a good and on a bad change."""
