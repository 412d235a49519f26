"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        """Listen to what allauth says of second factors."""
        from accounts import recording

        recording.connect()
