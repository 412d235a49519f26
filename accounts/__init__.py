"""Who: the custom user, teams, roles."""
