"""Figures, each as a ratio or a time measured in one run. `make bench` runs all of them."""
