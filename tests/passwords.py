"""How the tests hash passwords: any process can check them, and making one takes no time."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """Django's usual way with one round: a million for each person would be most of the run."""

    iterations = 1
