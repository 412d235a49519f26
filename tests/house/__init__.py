"""What is measured of the repository itself: its code, its marks, its documentation."""
