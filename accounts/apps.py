"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        """Listen to what allauth says of second factors, and to who signs in."""
        from django.contrib.auth.signals import user_logged_in

        from accounts import middleware, recording

        recording.connect()
        user_logged_in.connect(middleware.begin, dispatch_uid="accounts.session.begun")
