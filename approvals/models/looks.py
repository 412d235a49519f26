"""Who has looked at which request, and when first: what time to decide and unread requests are told by."""

from django.conf import settings
from django.db import models

from approvals.models.requests import ActionRequest


class Look(models.Model):
    """One person's first look at the page of one request, once it could be decided."""

    request = models.ForeignKey(ActionRequest, on_delete=models.PROTECT, related_name="looks")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    first_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["request", "person"], name="one_first_look_per_person"),
        ]

    def __str__(self) -> str:
        return f"look at request {self.request_id}"
