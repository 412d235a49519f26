"""The embedded servers and the process launcher behind `make demo`, `make run` and `make test`."""
