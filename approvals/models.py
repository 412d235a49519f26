"""No rows yet."""
