"""Linden & Loom, a small web shop for home textiles: its database, its logs, what it reports, what must come of it."""
