"""The harness itself: roles as they are meant, real commits, servers that stop and start."""

from collections.abc import Callable

import psycopg
import pytest
from django.db import connection

from tests.servers import Servers


@pytest.mark.django_db
def test_the_application_role_may_not_change_a_table() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("assay_app",)
        with pytest.raises(Exception, match="permission denied"):
            cursor.execute("CREATE TABLE public.mine (id int)")


def test_what_one_test_committed_the_next_does_not_find(
    servers: Servers, committed_db: None, app_dsn: str
) -> None:
    from accounts.models import Team

    Team.objects.create(name="Night", slug="night")
    with psycopg.connect(app_dsn) as link:
        assert link.execute("SELECT count(*) FROM accounts_team WHERE slug = 'night'").fetchone() == (1,)
    connection.close()
    servers.clone()
    with psycopg.connect(app_dsn) as link:
        assert link.execute("SELECT count(*) FROM accounts_team WHERE slug = 'night'").fetchone() == (0,)


def test_the_owner_takes_the_audit_role_only_by_asking_for_it(owner_dsn: str) -> None:
    with psycopg.connect(owner_dsn) as link:
        row = link.execute(
            "SELECT pg_has_role('assay_audit', 'USAGE'), pg_has_role('assay_audit', 'SET')"
        ).fetchone()
    assert row == (False, True)


def test_a_server_that_was_stopped_comes_back_with_its_rows(
    servers: Servers, committed_db: None, make_user: Callable[..., object]
) -> None:
    from accounts.models import User

    make_user("grace")
    connection.close()
    servers.postgres.stop()
    servers.postgres.start()
    assert User.objects.filter(username="grace").exists()
