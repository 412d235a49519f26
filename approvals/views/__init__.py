"""The pages of approvals, a file for each thing that they are about."""
