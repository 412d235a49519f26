"""How each finding of a PostgreSQL proof is ended, and which of them nobody can end on a managed server."""

import re
from collections.abc import Mapping

# Rights that PUBLIC has from birth and that only a superuser can take away. Each family is acknowledged by
# its name; what holds against it in the meantime is the read-only cursor and the rollback.
RESIDUAL: Mapping[str, tuple[str, str]] = {
    "advisory_locks": (r"^pg_(try_)?advisory_", "it can take advisory locks that other programs wait for"),
    "notify": (r"^pg_notify$", "it can send notifications, if it could commit"),
    "sleeping": (r"^pg_sleep", "it can hold a connection until its time limit"),
    "own_settings": (r"^(set_config|setseed)$", "it can change the settings of its own session"),
    "own_sessions": (r"^pg_(terminate|cancel)_backend$", "it can end other sessions of the same role"),
    "large_objects": (r"^lo", "it can make large objects, if it could commit"),
    "transaction_ids": (r"^(pg_current_xact_id|txid_current)", "each call can use up a transaction id"),
    "wal_messages": (r"^pg_logical_emit_message$", "it can write messages into the write-ahead log"),
    "snapshots": (r"^pg_export_snapshot$", "it can export its snapshot"),
    "query_texts": (r"_to_xml|^ts_(stat|rewrite)$", "it can run reading SQL that is given as text"),
    "untrusted_languages": (r"", "a language is there whose functions may do anything"),
    "temporary_files": (r"^temp_file_limit$", "its questions may fill the disk with temporary files"),
}
_RESIDUAL_CHECKS = frozenset({"catalog_function", "setting"})
_LIMITS = {
    "default_transaction_read_only": "on",
    "statement_timeout": "'5s'",
    "lock_timeout": "'500ms'",
    "idle_in_transaction_session_timeout": "'10s'",
    "temp_file_limit": "'256MB'",
}
_ON = {
    "relation": "",
    "column": "",
    "sequence": "SEQUENCE ",
    "schema_create": "SCHEMA ",
    "database": "DATABASE ",
    "other_database": "DATABASE ",
    "security_definer": "ROUTINE ",
    "native_function": "ROUTINE ",
    "catalog_function": "ROUTINE ",
    "foreign": "",
    "secrets": "",
    "tablespace": "TABLESPACE ",
    "largeobject": "LARGE OBJECT ",
    "parameter": "PARAMETER ",
}
_OTHERWISE = {
    "role_attribute": "ALTER ROLE {role} NO{right};",
    "owns": "REASSIGN OWNED BY {role} TO another_role; (then grant again what it reads)",
    "setting": "ALTER ROLE {role} SET {found} = {limit};",
    "grant_option": "REVOKE GRANT OPTION FOR {right} ON {found} FROM {via};",
    "default_acl": "ALTER DEFAULT PRIVILEGES {found} REVOKE {right} FROM {via};",
    "support_function": "ALTER ROUTINE {found} SECURITY INVOKER;",
    "session_is_login_role": "sign in as the reader itself, without SET ROLE",
    "untrusted_language": "DROP LANGUAGE {found}; (nobody can grant or revoke an untrusted one)",
    "largeobject": "ALTER SYSTEM SET lo_compat_privileges = off;",
    "other_database_grants": "look at its grants there: connect to {found} and run the proof",
}
_BY_OTHERS = "no grant gives it: end the membership, ownership or attribute that does (listed beside this)"


def residual_family(check: str, found: str) -> str:
    """Return the family that a finding's object belongs to, or ''."""
    if check == "untrusted_language":
        return "untrusted_languages"
    if check not in _RESIDUAL_CHECKS:
        return ""
    name = found.partition("(")[0]
    return next(
        (family for family, (pattern, _) in RESIDUAL.items() if pattern and re.search(pattern, name)), ""
    )


def cure(check: str, found: str, privilege: str, *, via: str, role: str) -> str:
    """Return the statement that ends a finding, or a sentence where no single statement does."""
    right = privilege.partition(" as ")[0].partition(" in ")[0]
    if check in _ON and via:
        return f"REVOKE {right} ON {_ON[check]}{found} FROM {via};"
    if check in ("membership", "reads_everything") and via:
        return f"REVOKE {found} FROM {via};"
    if found == "pg_database_owner":  # which nobody grants
        return f"REASSIGN OWNED BY {role} TO another_role;"
    return _OTHERWISE.get(check, _BY_OTHERS).format(
        found=found, right=right, via=via, role=role, limit=_LIMITS.get(found, "'5s'")
    )
