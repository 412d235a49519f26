"""The HTTP API: bearer tokens only, JSON answers, and problems as RFC 9457 has them."""
