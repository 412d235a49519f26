"""Commands of the investigations app."""
