"""The public conformance suite and the Inspector against our server: `make conformance`."""
