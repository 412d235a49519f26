"""The gates between an approval and its execution, one file for each thing that they are about."""
