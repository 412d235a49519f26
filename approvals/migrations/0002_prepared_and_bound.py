"""A request is prepared by the execute worker, every column of it is bound to its approval, a freeze has exceptions."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("approvals", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FreezeException",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("by", models.CharField(max_length=200)),
                ("because", models.CharField(max_length=300)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="actionrequest",
            name="approved_entry",
            field=models.BigIntegerField(
                blank=True, help_text="the entry that holds every column as it was approved", null=True
            ),
        ),
        migrations.AddField(
            model_name="actionrequest",
            name="arguments",
            field=models.TextField(default="{}", help_text="as they were proposed, canonical JSON"),
        ),
        migrations.AddField(
            model_name="actionrequest",
            name="call_digest",
            field=models.CharField(
                blank=True,
                default="",
                help_text="SHA-256 of action and arguments: equal calls",
                max_length=64,
            ),
        ),
        migrations.AddField(
            model_name="actionrequest",
            name="cites",
            field=models.TextField(default="[]", help_text="ids of the cited entries, canonical JSON"),
        ),
        migrations.AddField(
            model_name="actionrequest",
            name="prepared_at",
            field=models.DateTimeField(
                blank=True,
                help_text="when the execute worker had read the target and tried the write dry",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="actionrequest",
            name="sent_at",
            field=models.DateTimeField(
                blank=True, help_text="when a worker was woken for it last", null=True
            ),
        ),
        migrations.AddField(
            model_name="actionrequest",
            name="wanted_at",
            field=models.DateTimeField(
                blank=True,
                help_text="when somebody asked for an approved rollback; other requests: never",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="actionrequest",
            name="wanted_by",
            field=models.CharField(blank=True, default="", max_length=200),
        ),
        migrations.AddField(
            model_name="decision",
            name="entry",
            field=models.BigIntegerField(blank=True, help_text="the entry that records it", null=True),
        ),
        migrations.AddField(
            model_name="decision",
            name="glass",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="decisions",
                to="approvals.breakglass",
            ),
        ),
        migrations.AddField(
            model_name="execution",
            name="after_version",
            field=models.CharField(
                blank=True,
                default="",
                help_text="of the target, as it was read after the write",
                max_length=200,
            ),
        ),
        migrations.AddField(
            model_name="execution",
            name="verify_at",
            field=models.DateTimeField(blank=True, help_text="when the effect is looked for", null=True),
        ),
        migrations.AlterField(
            model_name="actionrequest",
            name="body",
            field=models.TextField(blank=True, default="", help_text="empty until it is prepared"),
        ),
        migrations.AlterField(
            model_name="actionrequest",
            name="digest",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddIndex(
            model_name="actionrequest",
            index=models.Index(fields=["call_digest"], name="action_requests_by_call"),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(("digest", ""), _negated=True), name="nobody_decides_the_unprepared"
            ),
        ),
        migrations.AddField(
            model_name="freezeexception",
            name="freeze",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="exceptions", to="approvals.freeze"
            ),
        ),
        migrations.AddField(
            model_name="freezeexception",
            name="request",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="freeze_exceptions",
                to="approvals.actionrequest",
            ),
        ),
        migrations.AddConstraint(
            model_name="freezeexception",
            constraint=models.UniqueConstraint(
                fields=("freeze", "request"), name="one_exception_for_each_request"
            ),
        ),
    ]
