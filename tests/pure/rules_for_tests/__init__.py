"""Rules that only tests know, and the values they are judged with."""
