"""A real, very small model behind a real server: `make test-llm`. It proves wiring, not judgement."""
