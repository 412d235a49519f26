"""What a tool asks: each connector owns one read-only credential and the one way it is used."""
