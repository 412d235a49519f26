"""How values become page text: hidden characters, markdown, times. Pure functions."""
