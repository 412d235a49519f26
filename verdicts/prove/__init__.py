"""The proofs of a rule: its cases, drift, monotony, purity, and that each of its conditions is tested."""
