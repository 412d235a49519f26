"""What every other package may use: canonical JSON, times and argument forms. Pure Python."""
