"""The MCP server: the tools of the gateway for any agent that holds a token."""
