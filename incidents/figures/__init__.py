"""What managers look at: stamps, sums that stay exact, sampled audits of passes, and their figures."""
