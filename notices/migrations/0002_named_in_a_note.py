"""People can choose to be told when a note names them. Choices alone: no table is touched."""

from django.db import migrations, models

_EVENTS = (
    "incident.needs_person",
    "request.proposed",
    "request.expiring",
    "request.expired",
    "request.executed",
    "request.failed",
    "request.unknown",
    "glass.broken",
    "note.mentioned",
    "notice.test",
)


class Migration(migrations.Migration):
    dependencies = [("notices", "0001_routes_and_messages")]

    operations = [
        migrations.AlterField(
            model_name="notice",
            name="event",
            field=models.CharField(choices=[(event, event) for event in _EVENTS], max_length=30),
        )
    ]
