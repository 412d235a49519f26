"""The declared actions: one module for each production write that can be proposed at all."""
