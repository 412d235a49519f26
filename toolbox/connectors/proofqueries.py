"""The catalogue queries of a PostgreSQL credential's proof. Any row is a finding.

Each returns three texts: the object, the privilege on it, and through whom it comes ('' where no grant gives
it: then ownership, membership or an attribute does, which has a finding of its own).
"""

# ruff: noqa: S608 these texts hold no value from outside

from toolbox.connectors.readerrole import RISKY_GRANTS, RISKY_PATTERN, literal

PARAMETER_ACL_SINCE = 150000
MAINTAIN_SINCE = 170000
# Other databases are not inspected from here, and reading much is no writing.
WARNINGS = frozenset({"other_database", "other_database_grants", "reads_everything"})


def _is_mine(role: str) -> str:
    """Whether a role is the reader, or one that it is a member of.

    PostgreSQL counts a superuser as a member of every role. What others were granted is not how it comes by
    anything, and no cure of its may take that from them.
    """
    return (
        f"({role}=(SELECT oid FROM pg_roles WHERE rolname=current_user)"
        " OR NOT (SELECT rolsuper FROM pg_roles WHERE rolname=current_user)"
        f" AND pg_has_role(current_user,{role},'MEMBER'))"
    )


_MINE = f"(a.grantee=0 OR {_is_mine('a.grantee')})"
_NAMED = "CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END"


def _via(acl: str, owner: str, privilege: str) -> str:
    """A sub-select that names those who give the role a privilege; the owner's own right is no grant."""
    return (
        f"coalesce((SELECT string_agg(DISTINCT {_NAMED}, ', ') FROM aclexplode({acl}) a "
        f"WHERE a.privilege_type={privilege} AND a.grantee<>{owner} AND {_MINE}),'')"
    )


_TABLE_PRIVILEGES = "'INSERT','UPDATE','DELETE','TRUNCATE','TRIGGER','REFERENCES'"
# SELECT on a relation, or on one of its columns.
_READ_VIA = (
    f"coalesce((SELECT string_agg(DISTINCT {_NAMED}, ', ') FROM (SELECT * FROM aclexplode(c.relacl) "
    "UNION ALL SELECT e.* FROM pg_attribute t, aclexplode(t.attacl) e WHERE t.attrelid=c.oid) a "
    f"WHERE a.privilege_type='SELECT' AND a.grantee<>c.relowner AND {_MINE}),'')"
)
# Whether a view `v` reads as its owner. A materialised one holds what its owner read.
_AS_ITS_OWNER = """NOT EXISTS (SELECT FROM pg_options_to_table(v.reloptions)
    WHERE option_name='security_invoker' AND option_value::boolean)"""


def _readable_behind(start: str, kinds: str) -> str:
    """Relations that the role may read and that read one of the first relations, through views and parts."""
    return f"""
        WITH RECURSIVE before(relation) AS ({start} UNION
          SELECT above.relation FROM before b, LATERAL (
            SELECT w.ev_class FROM pg_depend d JOIN pg_rewrite w ON w.oid=d.objid
            JOIN pg_class v ON v.oid=w.ev_class AND v.relkind IN({kinds})
            WHERE d.classid='pg_rewrite'::regclass AND d.refclassid='pg_class'::regclass
            AND d.refobjid=b.relation AND {_AS_ITS_OWNER}
            UNION ALL SELECT inhparent FROM pg_inherits WHERE inhrelid=b.relation) above(relation))
        SELECT c.oid::regclass::text,'SELECT',{_READ_VIA} FROM before JOIN pg_class c ON c.oid=relation
        WHERE has_any_column_privilege(c.oid,'SELECT')
    """


# What an aggregate `p` calls, `f`: PostgreSQL asks whether the aggregate's owner may, never its caller.
_CALLED_BY_AGGREGATES = """
    pg_aggregate g JOIN pg_proc p ON p.oid=g.aggfnoid JOIN pg_proc f ON f.oid IN (g.aggtransfn,g.aggfinalfn,
    g.aggcombinefn,g.aggserialfn,g.aggdeserialfn,g.aggmtransfn,g.aggminvtransfn,g.aggmfinalfn)
"""
_ROUTINE_VIA = _via("coalesce(p.proacl,acldefault('f',p.proowner))", "p.proowner", "'EXECUTE'")
_SECRETS = (
    "'pg_authid'::regclass,'pg_shadow'::regclass,'pg_user_mapping'::regclass,'pg_subscription'::regclass"
)
# Nothing is written down as depending on a catalogue: a view's own text has to say what it reads.
_VIEWS_OF_SECRETS = f"""
    SELECT v.oid FROM pg_class v JOIN pg_rewrite w ON w.ev_class=v.oid, unnest(ARRAY[{_SECRETS}]) s(oid)
    WHERE v.oid>=16384 AND v.relkind IN('v','m') AND {_AS_ITS_OWNER}
    AND position(':relid '||s.oid::oid||' ' IN w.ev_action::text)>0
"""
_GRANTABLE = (
    # catalogue, acl column, owner column, what REVOKE calls the object
    ("pg_class", "relacl", "relowner", "CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE '' END||o.oid::regclass"),
    ("pg_namespace", "nspacl", "nspowner", "'SCHEMA '||quote_ident(nspname)"),
    ("pg_proc", "proacl", "proowner", "'ROUTINE '||o.oid::regprocedure"),
    ("pg_type", "typacl", "typowner", "'TYPE '||o.oid::regtype"),
    ("pg_language", "lanacl", "lanowner", "'LANGUAGE '||quote_ident(lanname)"),
    ("pg_database", "datacl", "datdba", "'DATABASE '||quote_ident(datname)"),
    ("pg_tablespace", "spcacl", "spcowner", "'TABLESPACE '||quote_ident(spcname)"),
    ("pg_foreign_server", "srvacl", "srvowner", "'FOREIGN SERVER '||quote_ident(srvname)"),
    ("pg_foreign_data_wrapper", "fdwacl", "fdwowner", "'FOREIGN DATA WRAPPER '||quote_ident(fdwname)"),
    ("pg_largeobject_metadata", "lomacl", "lomowner", "'LARGE OBJECT '||o.oid"),
)


def _is_native(routine: str) -> str:
    """Whether a routine that PostgreSQL did not bring may do anything, or is a built-in under another name.

    A language that may do anything counts whatever volatility is written down.
    """
    return f"""
        {routine}.oid>=16384 AND NOT lanpltrusted AND lanname<>'sql'
        AND ({routine}.provolatile='v' OR lanname NOT IN('c','internal')
          OR (lanname='internal' AND EXISTS (SELECT FROM pg_proc b WHERE b.oid<16384
            AND b.prosrc={routine}.prosrc AND b.provolatile='v')))
    """


_IS_RISKY = (
    f"(f.proname ~ {literal(RISKY_PATTERN)} OR f.proname IN ({','.join(map(literal, RISKY_GRANTS))})"
    " OR EXISTS (SELECT FROM pg_init_privs i WHERE i.classoid='pg_proc'::regclass AND i.objoid=f.oid"
    f" AND NOT EXISTS (SELECT FROM aclexplode(i.initprivs) a WHERE a.grantee<>f.proowner AND {_MINE})))"
)

QUERIES = {
    "session_is_login_role": """
        SELECT quote_ident(session_user),'SET ROLE '||quote_ident(current_user),''
        WHERE session_user<>current_user
    """,
    "role_attribute": """
        SELECT quote_ident(rolname),a,'' FROM pg_roles r,
        LATERAL (VALUES('SUPERUSER',rolsuper),('CREATEROLE',rolcreaterole),
        ('CREATEDB',rolcreatedb),('REPLICATION',rolreplication),('BYPASSRLS',rolbypassrls)) v(a,on_)
        WHERE r.rolname=current_user AND on_
    """,
    # NOINHERIT, SET and ADMIN OPTION alike: whoever is a member may become the role, or may let himself.
    "membership": f"""
        SELECT quote_ident(rolname),'MEMBER',
        coalesce((SELECT string_agg(DISTINCT quote_ident(pg_get_userbyid(m.member)),', ')
          FROM pg_auth_members m WHERE m.roleid=r.oid AND {_is_mine("m.member")}),'')
        FROM pg_roles r WHERE rolname<>current_user AND pg_has_role(current_user,oid,'MEMBER')
        AND rolname NOT IN ('pg_read_all_settings','pg_read_all_stats','pg_monitor',
        'pg_stat_scan_tables','pg_read_all_data')
    """,
    "reads_everything": """
        SELECT 'pg_read_all_data','MEMBER',quote_ident(current_user) FROM pg_roles
        WHERE rolname='pg_read_all_data' AND pg_has_role(current_user,oid,'MEMBER')
    """,
    "owns": """
        SELECT CASE WHEN dbid IN (0,(SELECT oid FROM pg_database WHERE datname=current_database()))
          THEN pg_describe_object(classid,objid,objsubid)
          ELSE classid::regclass||' '||objid||' in database '||dbid END,'OWNER',quote_ident(current_user)
        FROM pg_shdepend WHERE refclassid='pg_authid'::regclass AND deptype='o'
        AND refobjid=(SELECT oid FROM pg_roles WHERE rolname=current_user)
    """,
    "relation": f"""
        SELECT c.oid::regclass::text,p,
        {_via("coalesce(c.relacl,acldefault('r',c.relowner))", "c.relowner", "p")}
        FROM pg_class c, unnest(ARRAY[{_TABLE_PRIVILEGES}]) p
        WHERE relkind IN('r','p','v','m','f') AND has_table_privilege(c.oid,p)
        AND NOT (c.oid='pg_catalog.pg_settings'::regclass AND p='UPDATE')
    """,
    "column": f"""
        SELECT t.attrelid::regclass::text,a.privilege_type||' ('||quote_ident(attname)||')',{_NAMED}
        FROM pg_attribute t, aclexplode(t.attacl) a
        WHERE a.privilege_type IN('INSERT','UPDATE','REFERENCES') AND {_MINE}
    """,
    "sequence": f"""
        SELECT c.oid::regclass::text,p,
        {_via("coalesce(c.relacl,acldefault('s',c.relowner))", "c.relowner", "p")}
        FROM pg_class c, unnest(ARRAY['USAGE','UPDATE']) p
        WHERE CASE relkind WHEN 'S' THEN has_sequence_privilege(c.oid,p) END
    """,
    "schema_create": f"""
        SELECT quote_ident(nspname),'CREATE',
        {_via("coalesce(nspacl,acldefault('n',nspowner))", "nspowner", "'CREATE'")}
        FROM pg_namespace WHERE has_schema_privilege(oid,'CREATE')
    """,
    "database": f"""
        SELECT quote_ident(datname),p,
        {_via("coalesce(datacl,acldefault('d',datdba))", "datdba", "p")}
        FROM pg_database, unnest(ARRAY['CREATE','TEMPORARY']) p
        WHERE datname=current_database() AND has_database_privilege(oid,p)
    """,
    "other_database": f"""
        SELECT quote_ident(datname),'CONNECT',
        {_via("coalesce(datacl,acldefault('d',datdba))", "datdba", "'CONNECT'")}
        FROM pg_database WHERE datallowconn AND datname<>current_database()
        AND has_database_privilege(oid,'CONNECT')
    """,
    "security_definer": f"""
        SELECT p.oid::regprocedure::text,'EXECUTE as '||quote_ident(pg_get_userbyid(proowner)),{_ROUTINE_VIA}
        FROM pg_proc p WHERE prosecdef AND has_function_privilege(p.oid,'EXECUTE')
        UNION SELECT p.oid::regprocedure::text,'EXECUTE as '||quote_ident(pg_get_userbyid(f.proowner)),
          {_ROUTINE_VIA}
        FROM {_CALLED_BY_AGGREGATES} WHERE f.prosecdef AND has_function_privilege(p.oid,'EXECUTE')
    """,
    # Sorting and ranges call what their types name. Nobody is asked whether the caller may.
    "support_function": """
        SELECT p.oid::regprocedure::text,'CALLED as '||quote_ident(pg_get_userbyid(proowner)),''
        FROM pg_proc p WHERE prosecdef AND (EXISTS (SELECT FROM pg_amproc WHERE amproc=p.oid)
          OR EXISTS (SELECT FROM pg_range WHERE p.oid IN (rngcanonical,rngsubdiff)))
    """,
    "native_function": f"""
        SELECT p.oid::regprocedure::text,'EXECUTE in '||lanname,{_ROUTINE_VIA} FROM pg_proc p
        JOIN pg_language l ON l.oid=prolang
        WHERE {_is_native("p")} AND has_function_privilege(p.oid,'EXECUTE')
        AND (has_schema_privilege(p.pronamespace,'USAGE')
          OR EXISTS (SELECT FROM pg_depend d WHERE d.refclassid='pg_proc'::regclass AND d.refobjid=p.oid))
        UNION SELECT p.oid::regprocedure::text,'EXECUTE in '||lanname,{_ROUTINE_VIA}
        FROM {_CALLED_BY_AGGREGATES} JOIN pg_language l ON l.oid=f.prolang
        WHERE {_is_native("f")} AND has_function_privilege(p.oid,'EXECUTE')
    """,
    # Beside the known ones: every built-in function that PostgreSQL keeps from PUBLIC and somebody gave away.
    "catalog_function": f"""
        SELECT p.oid::regprocedure::text,'EXECUTE',{_ROUTINE_VIA}
        FROM pg_proc p JOIN pg_proc f USING (oid) WHERE p.pronamespace='pg_catalog'::regnamespace
        AND has_function_privilege(p.oid,'EXECUTE') AND {_IS_RISKY}
        UNION SELECT p.oid::regprocedure::text,'EXECUTE',{_ROUTINE_VIA} FROM {_CALLED_BY_AGGREGATES}
        WHERE f.pronamespace='pg_catalog'::regnamespace AND p.oid>=16384
        AND has_function_privilege(p.oid,'EXECUTE') AND {_IS_RISKY}
    """,
    "untrusted_language": f"""
        SELECT quote_ident(lanname),'USAGE',
        {_via("coalesce(lanacl,acldefault('l',lanowner))", "lanowner", "'USAGE'")}
        FROM pg_language WHERE NOT lanpltrusted AND lanname NOT IN('internal','c','sql')
        AND has_language_privilege(oid,'USAGE')
    """,
    "foreign": f"""
        SELECT 'FOREIGN DATA WRAPPER '||quote_ident(fdwname),'USAGE',{_via("fdwacl", "fdwowner", "'USAGE'")}
        FROM pg_foreign_data_wrapper WHERE has_foreign_data_wrapper_privilege(oid,'USAGE')
        UNION ALL
        SELECT 'FOREIGN SERVER '||quote_ident(srvname),'USAGE',{_via("srvacl", "srvowner", "'USAGE'")}
        FROM pg_foreign_server WHERE has_server_privilege(oid,'USAGE')
        UNION ALL ({_readable_behind("SELECT oid FROM pg_class WHERE relkind='f'", "'v'")})
    """,
    # Passwords, or what stands for them. Who may read everything is warned of under that name.
    "secrets": f"""
        SELECT c.oid::regclass::text,'SELECT',{_NAMED} FROM pg_class c, aclexplode(c.relacl) a
        WHERE c.oid IN({_SECRETS}) AND a.privilege_type='SELECT' AND a.grantee<>c.relowner AND {_MINE}
        UNION SELECT t.attrelid::regclass::text,'SELECT ('||quote_ident(attname)||')',{_NAMED}
        FROM pg_attribute t, aclexplode(t.attacl) a WHERE t.attrelid IN({_SECRETS})
        AND attname IN('rolpassword','passwd','umoptions','subconninfo')
        AND a.privilege_type='SELECT' AND {_MINE}
        UNION ({_readable_behind(_VIEWS_OF_SECRETS, "'v','m'")})
    """,
    "tablespace": f"""
        SELECT quote_ident(spcname),'CREATE',{_via("spcacl", "spcowner", "'CREATE'")}
        FROM pg_tablespace WHERE has_tablespace_privilege(oid,'CREATE')
    """,
    "largeobject": f"""
        SELECT 'lo_compat_privileges','SETTING on','' WHERE current_setting('lo_compat_privileges')='on'
        UNION ALL SELECT m.oid::text,'UPDATE',{_NAMED} FROM pg_largeobject_metadata m, aclexplode(m.lomacl) a
        WHERE a.privilege_type='UPDATE' AND {_MINE}
    """,
    "parameter": f"""
        SELECT parname,a.privilege_type,{_NAMED} FROM pg_parameter_acl, aclexplode(paracl) a WHERE {_MINE}
    """,
    "other_database_grants": """
        SELECT quote_ident(d.datname),'grants of its own',quote_ident(current_user)
        FROM pg_shdepend s JOIN pg_database d ON d.oid=s.dbid
        WHERE refclassid='pg_authid'::regclass AND deptype='a' AND refobjid=(SELECT oid FROM pg_roles
        WHERE rolname=current_user) AND d.datname<>current_database() GROUP BY 1
    """,
    "grant_option": " UNION ALL ".join(
        f"SELECT {name},a.privilege_type,{_NAMED} FROM {catalogue} o, aclexplode({acl}) a "
        f"WHERE a.is_grantable AND a.grantee<>{owner} AND {_MINE}"
        for catalogue, acl, owner, name in _GRANTABLE
    )
    + f"""
        UNION ALL SELECT t.attrelid::regclass::text,a.privilege_type||' ('||quote_ident(attname)||')',{_NAMED}
        FROM pg_attribute t, aclexplode(t.attacl) a WHERE a.is_grantable AND {_MINE}
    """,
    "default_acl": f"""
        SELECT 'FOR ROLE '||quote_ident(pg_get_userbyid(defaclrole))||
          coalesce(' IN SCHEMA '||quote_ident(
            (SELECT nspname FROM pg_namespace n WHERE n.oid=defaclnamespace)),''),
        a.privilege_type||' ON '||CASE defaclobjtype WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES'
          WHEN 'f' THEN 'ROUTINES' WHEN 'T' THEN 'TYPES' WHEN 'n' THEN 'SCHEMAS' ELSE 'LARGE OBJECTS' END,
        {_NAMED} FROM pg_default_acl, aclexplode(defaclacl) a WHERE {_MINE} AND a.grantee<>defaclrole
        AND (a.is_grantable OR a.privilege_type<>'SELECT'
          AND NOT (defaclobjtype IN('T','n') AND a.privilege_type='USAGE'))
    """,
    # What a session of this credential begins with; a call's own SET LOCAL does not show here.
    "setting": """
        SELECT name,'SETTING '||reset_val,'' FROM pg_settings
        WHERE (name='default_transaction_read_only' AND reset_val<>'on') OR (reset_val='0'
        AND name IN('statement_timeout','lock_timeout','idle_in_transaction_session_timeout'))
        OR (name='temp_file_limit' AND reset_val='-1')
    """,
}


def combined(version: int, most: int) -> str:
    """Return all queries as one, so that a far server is asked once; at most so many rows of each."""
    parts = ["SELECT 'identity',quote_ident(current_user),quote_ident(current_database()),''"]
    for check, query in QUERIES.items():
        if check == "parameter" and version < PARAMETER_ACL_SINCE:
            continue
        if check == "relation" and version >= MAINTAIN_SINCE:
            query = query.replace(_TABLE_PRIVILEGES, f"{_TABLE_PRIVILEGES},'MAINTAIN'")
        parts.append(f"(SELECT '{check}',q.* FROM ({query}) q(o,p,v) LIMIT {most})")
    return "\nUNION ALL ".join(parts)
