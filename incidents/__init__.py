"""What comes in, and what a person does with it."""
