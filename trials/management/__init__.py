"""Commands of the trials app."""
