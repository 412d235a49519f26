"""Fakes: local servers that answer as an API's public documents say; no real server is behind them."""
