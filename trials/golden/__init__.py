"""Golden sets: issues with the label that people gave them, by which model endpoints are compared."""
