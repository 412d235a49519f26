"""The 21 catalogue queries of the credential's proof. Any row is a finding."""

PARAMETER_ACL_SINCE = 150000
# Other databases are not inspected from here.
WARNINGS = frozenset({"other_database", "grant_option"})

QUERIES = {
    "session_is_login_role": """
        SELECT session_user||'<>'||current_user WHERE session_user<>current_user
    """,
    "role_attribute": """
        SELECT a FROM pg_roles r,
        LATERAL (VALUES('SUPERUSER',rolsuper),('CREATEROLE',rolcreaterole),
        ('CREATEDB',rolcreatedb),('REPLICATION',rolreplication),('BYPASSRLS',rolbypassrls)) v(a,on_)
        WHERE r.rolname=current_user AND on_
    """,
    "membership": """
        SELECT rolname FROM pg_roles WHERE rolname<>current_user
        AND pg_has_role(current_user,oid,'MEMBER')
        AND rolname NOT IN ('pg_read_all_settings','pg_read_all_stats','pg_monitor',
        'pg_stat_scan_tables','pg_read_all_data')
    """,
    "owns": """
        SELECT classid::regclass||' '||objid||' in db '||dbid FROM pg_shdepend
        WHERE refclassid='pg_authid'::regclass AND deptype='o' AND refobjid=(SELECT oid FROM pg_roles
        WHERE rolname=current_user)
    """,
    "relation": """
        SELECT c.oid::regclass||' '||p
        FROM pg_class c, unnest(ARRAY['INSERT','UPDATE','DELETE','TRUNCATE','TRIGGER','REFERENCES']) p
        WHERE relkind IN('r','p','v','m','f') AND c.oid<>'pg_catalog.pg_settings'::regclass
        AND has_table_privilege(c.oid,p)
    """,
    "column": """
        SELECT c.oid::regclass||' '||p FROM pg_class c, unnest(ARRAY['INSERT','UPDATE','REFERENCES']) p
        WHERE relkind IN('r','p','v','m','f') AND c.oid<>'pg_catalog.pg_settings'::regclass
        AND has_any_column_privilege(c.oid,p) AND NOT has_table_privilege(c.oid,p)
    """,
    "sequence": """
        SELECT oid::regclass::text FROM pg_class WHERE relkind='S'
        AND (has_sequence_privilege(oid,'USAGE') OR has_sequence_privilege(oid,'UPDATE'))
    """,
    "schema_create": """
        SELECT nspname FROM pg_namespace WHERE has_schema_privilege(oid,'CREATE')
    """,
    "database": """
        SELECT datname||' '||p FROM pg_database, unnest(ARRAY['CREATE','TEMP']) p
        WHERE datname=current_database() AND has_database_privilege(oid,p)
    """,
    "other_database": """
        SELECT datname FROM pg_database WHERE datallowconn AND datname<>current_database()
        AND has_database_privilege(oid,'CONNECT')
    """,
    "security_definer": """
        SELECT p.oid::regprocedure||' owner '||pg_get_userbyid(proowner) FROM pg_proc p WHERE prosecdef
        AND has_function_privilege(p.oid,'EXECUTE')
    """,
    "native_function": """
        SELECT p.oid::regprocedure||' '||coalesce(probin,'')||'/'||lanname FROM pg_proc p
        JOIN pg_language l ON l.oid=prolang JOIN pg_namespace n ON n.oid=pronamespace
        WHERE n.nspname NOT IN('pg_catalog','information_schema') AND (NOT lanpltrusted)
        AND lanname<>'sql' AND provolatile='v' AND has_function_privilege(p.oid,'EXECUTE')
        AND has_schema_privilege(n.oid,'USAGE')
    """,
    "catalog_function": """
        SELECT p.oid::regprocedure::text FROM pg_proc p WHERE pronamespace='pg_catalog'::regnamespace
        AND has_function_privilege(p.oid,'EXECUTE') AND (proname ~ %s::text
        OR proname = ANY(%s::text[]))
    """,
    "untrusted_language": """
        SELECT lanname FROM pg_language WHERE NOT lanpltrusted AND lanname NOT IN('internal','c','sql')
        AND has_language_privilege(oid,'USAGE')
    """,
    "foreign": """
        SELECT 'wrapper '||fdwname FROM pg_foreign_data_wrapper
        WHERE has_foreign_data_wrapper_privilege(oid,'USAGE') UNION ALL SELECT 'server '||srvname
        FROM pg_foreign_server WHERE has_server_privilege(oid,'USAGE')
        UNION ALL SELECT 'foreign table '||oid::regclass FROM pg_class WHERE relkind='f'
        AND has_table_privilege(oid,'SELECT')
    """,
    "tablespace": """
        SELECT spcname FROM pg_tablespace WHERE has_tablespace_privilege(oid,'CREATE')
    """,
    "largeobject": """
        SELECT 'lo_compat_privileges' WHERE current_setting('lo_compat_privileges')='on'
        UNION ALL SELECT 'large object '||m.oid FROM pg_largeobject_metadata m, aclexplode(m.lomacl) a
        WHERE a.privilege_type='UPDATE' AND (a.grantee=0
        OR pg_has_role(current_user,a.grantee,'MEMBER'))
    """,
    "parameter": """
        SELECT parname FROM pg_parameter_acl, aclexplode(paracl) a WHERE a.grantee=0
        OR pg_has_role(current_user,a.grantee,'MEMBER')
    """,
    "grant_option": """
        SELECT 'pg_shdepend acl in db '||d.datname FROM pg_shdepend s JOIN pg_database d ON d.oid=s.dbid
        WHERE refclassid='pg_authid'::regclass AND deptype='a' AND refobjid=(SELECT oid FROM pg_roles
        WHERE rolname=current_user) AND d.datname<>current_database() GROUP BY 1
    """,
    "default_acl": """
        SELECT defaclrole::regrole||' gives '||a.privilege_type||' on '||defaclobjtype::text
        ||' to '||CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
        FROM pg_default_acl, aclexplode(defaclacl) a WHERE (a.grantee=0
        OR pg_has_role(current_user,a.grantee,'MEMBER')) AND a.privilege_type NOT IN('SELECT')
        AND NOT (defaclobjtype IN ('T') AND a.privilege_type='USAGE')
    """,
    "setting": """
        SELECT n||'='||current_setting(n)
        FROM (VALUES('default_transaction_read_only','on'),
        ('statement_timeout',NULL),('lock_timeout',NULL),
        ('idle_in_transaction_session_timeout',NULL)) v(n,want)
        WHERE (want IS NOT NULL AND current_setting(n)<>want) OR (want IS NULL
        AND current_setting(n)='0')
        UNION ALL SELECT 'temp_file_limit='||current_setting('temp_file_limit')
        WHERE current_setting('temp_file_limit')='-1'
    """,
}
