"""The settings of each process that tests start: as in development, with passwords hashed quickly."""

from triage.settings import *  # noqa: F403 the same settings, but for what follows

# With the usual rounds each sign-in, and the first one twice, hashes for longer than its page takes.
PASSWORD_HASHERS = ["tests.passwords.QuickHasher"]
