"""What `manage.py doctor` looks at: each thing one line, each failing line with its cure."""
