"""What `manage.py demo` does: people and sources, deliveries over HTTP, the table of how each was judged."""
