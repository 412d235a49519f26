"""What may be asked: tool definitions, connectors and the gateway."""
