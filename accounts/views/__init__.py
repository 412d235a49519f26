"""The pages of people: signing in, one's own account, people and teams."""

# Which entry of the navigation is lit.
OWN = {"nav": "account"}
PEOPLE = {"nav": "people"}
