"""Two scripted model endpoints of different quality, on this machine, to try a drill without a model."""
