"""All settings. Runs with nothing set for development; every variable is described in docs/settings.md."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from triage import env, langfuseenv, modelenv, schedulesenv, tracesenv

BASE_DIR = Path(__file__).resolve().parent.parent

PROFILE = env.choice("PROFILE", ("development", "production"), "development")
PRODUCTION = PROFILE == "production"
DEBUG = env.flag("DEBUG", False)
_DEFAULT_SECRET = "development-only-secret-key-that-production-refuses"  # noqa: S105 refused below
SECRET_KEY = env.text("SECRET_KEY", _DEFAULT_SECRET)
if PRODUCTION and (SECRET_KEY == _DEFAULT_SECRET or len(SECRET_KEY) < 50):
    raise ImproperlyConfigured(
        "SECRET_KEY: production needs its own, of 50 characters or more. Make one with "
        "`python -c 'import secrets; print(secrets.token_urlsafe(50))'` and set it in the environment."
    )
if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("DEBUG: production does not run with it. Unset it.")

BEHIND_PROXY = env.flag("BEHIND_PROXY", False)
BASE_URL = env.text("BASE_URL", "http://localhost:8000").rstrip("/")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]", "testserver"])
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS", [BASE_URL])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "audit",
    "accounts",
    "toolbox",
    "investigations",
    "notices",
    "approvals",
    "incidents",
    "trials",
    "triage",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "triage.csp.content_security_policy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.note_session",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.SentOnce",
    "triage.one_thread.one_thread",  # stays last
]

ROOT_URLCONF = "triage.urls"
ASGI_APPLICATION = "triage.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "triage.outages.banner",
            ],
        },
    },
]

# --- Database ---------------------------------------------------------------------------------
# DATABASE_URL is the application's role; DATABASE_OWNER_URL, where given, migrates.
# The pool is for the web process and the workers; a command that runs without a server must not wait for it.
DATABASE_POOL = env.flag("DATABASE_POOL", False)
# What every call asks is planned once for each kept connection. Not every pooler in between can keep that.
_PREPARED = env.flag("DATABASE_PREPARED", True)
_STATEMENT_TIMEOUT_MS = env.integer("DATABASE_STATEMENT_TIMEOUT_MS", 30_000)


def _database(url: str, *, pooled: bool) -> dict[str, Any]:
    parsed: dict[str, Any] = dict(dj_database_url.parse(url))
    parsed["CONN_MAX_AGE"] = 0
    parsed.setdefault("OPTIONS", {})
    # An open transaction holds the audit log's sealing horizon, so an idle one is ended.
    asked = parsed["OPTIONS"].get("options", "")
    parsed["OPTIONS"]["options"] = (
        f"-c statement_timeout={_STATEMENT_TIMEOUT_MS} -c idle_in_transaction_session_timeout=60000 {asked}"
    ).rstrip()
    if pooled:
        parsed["OPTIONS"]["prepare_threshold"] = 2 if _PREPARED else None
        parsed["OPTIONS"]["pool"] = {"min_size": 1, "max_size": env.integer("DATABASE_POOL_SIZE", 8, least=1)}
    return parsed


DATABASE_URL = env.text("DATABASE_URL", "postgres://assay_app@localhost:5432/assay")
DATABASE_OWNER_URL = env.text("DATABASE_OWNER_URL")
DATABASES: dict[str, Any] = {"default": _database(DATABASE_URL, pooled=DATABASE_POOL)}
if DATABASE_OWNER_URL:
    DATABASES["owner"] = _database(DATABASE_OWNER_URL, pooled=False)
    DATABASES["owner"]["TEST"] = {"MIRROR": "default"}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Broker and cache -------------------------------------------------------------------------
REDIS_URL = env.text("REDIS_URL", "redis://localhost:6379/0")


def _broker_url(redis_url: str) -> str:
    """Celery spells a unix socket `redis+socket://`, where redis-py and the cache spell it `unix://`."""
    if redis_url.startswith("unix://"):
        path, _, query = redis_url.removeprefix("unix://").partition("?")
        number = query.removeprefix("db=") or "0"
        return f"redis+socket://{path}?virtual_host={number}"
    return redis_url


CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}

CELERY_BROKER_URL = _broker_url(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "upkeep"
_INVESTIGATE = ("incidents.tasks.investigate", "incidents.tasks.answer")
_TRIALS = ("trials.tasks.make_run", "trials.tasks.go_on", "trials.tasks.hand_over")
CELERY_TASK_ROUTES = {name: {"queue": "investigate"} for name in (*_INVESTIGATE, *_TRIALS)}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Redelivery after kill -9 needs the two restore options; the leases decide, the broker only wakes.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": env.integer("BROKER_VISIBILITY_SECONDS", 900, least=5),
    "unacked_restore_interval": 2,
    "unacked_restore_throttle": 1,
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
}
SWEEP_SECONDS = env.integer("SWEEP_SECONDS", 5, least=1)
SEAL_SECONDS = env.integer("SEAL_SECONDS", 5, least=1)
_OF_EXECUTE = {"queue": "execute", "expires": 110}
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "incidents.tasks.sweep", "schedule": SWEEP_SECONDS, "options": {"expires": 60}},
    "writes": {"task": "approvals.tasks.sweep", "schedule": SWEEP_SECONDS, "options": {"expires": 60}},
    "probes": {"task": "approvals.tasks.probe", "schedule": 120, "options": _OF_EXECUTE},
    "notices": {"task": "notices.tasks.sweep", "schedule": SWEEP_SECONDS, "options": {"expires": 30}},
    "partitions": {"task": "audit.tasks.prepare_partitions", "schedule": 6 * 3600},
    "seal": {"task": "audit.tasks.seal", "schedule": SEAL_SECONDS, "options": {"expires": 60}},
    "publish": {"task": "audit.tasks.publish", "schedule": 30, "options": {"expires": 60}},
    "verify": {"task": "audit.tasks.verify", "schedule": 24 * 3600, "options": {"expires": 3600}},
    "figures": {"task": "incidents.tasks.count_figures", "schedule": 20, "options": {"expires": 60}},
    "retention": {"task": "incidents.tasks.forget", "schedule": 3600, "options": {"expires": 600}},
    "golden": {"task": "trials.tasks.collect_overrides", "schedule": 3600, "options": {"expires": 600}},
    "trials": {"task": "trials.tasks.look_at_schedules", "schedule": 60, "options": {"expires": 50}},
    "beat": {"task": "triage.tasks.note_heartbeat", "schedule": 30, "options": {"expires": 60}},
}

# --- The audit log's seal ---------------------------------------------------------------------
# The key is the upkeep worker's alone; whoever holds it can sign another log.
AUDIT_SIGNING_KEY = env.text("AUDIT_SIGNING_KEY")
AUDIT_VERIFIER = env.words("AUDIT_VERIFIER")
AUDIT_PLACES = env.words("AUDIT_PLACES")
AUDIT_PUT_TOKEN = env.text("AUDIT_PUT_TOKEN")
EMAIL_HOST = env.text("EMAIL_HOST", "localhost")
EMAIL_PORT = env.integer("EMAIL_PORT", 25, least=1)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS", False)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "assay@localhost")

# --- Notices ----------------------------------------------------------------------------------
# Webhooks are signed with keys that are made of this one, so that the database holds none.
NOTICE_KEY = env.text("NOTICE_KEY", "" if PRODUCTION else _DEFAULT_SECRET)
HOOK_KEY = env.text("HOOK_KEY", "" if PRODUCTION else _DEFAULT_SECRET)
NOTICE_NETWORKS = env.networks("NOTICE_NETWORKS")

# --- What is loaded ---------------------------------------------------------------------------
TRIAGE_TOOLS = env.paths("TRIAGE_TOOLS")
TRIAGE_CONNECTORS = env.text("TRIAGE_CONNECTORS")
TRIAGE_RULES = env.words("TRIAGE_RULES")
TRIAGE_SECRET_PATTERNS = env.text("TRIAGE_SECRET_PATTERNS")
TRIAGE_CITATIONS = env.text("TRIAGE_CITATIONS")
TRIAGE_ACTIONS = env.text("TRIAGE_ACTIONS")

# --- Writes -----------------------------------------------------------------------------------
# Only ever a way to force writes off: what switches them on are rows that two people change.
WRITES_ENABLED = env.flag("WRITES_ENABLED", True)
EXECUTOR_SECRETS = env.text("EXECUTOR_SECRETS")

# --- Audits of passes -------------------------------------------------------------------------
PASS_AUDIT_SHARE = env.decimal("PASS_AUDIT_SHARE", Decimal("0.1"))
PASS_AUDIT_LIMIT = env.decimal("PASS_AUDIT_LIMIT", Decimal("0.05"))
PASS_AUDIT_DAYS = env.integer("PASS_AUDIT_DAYS", 14, least=1)
PASS_AUDIT_OVERDUE = env.integer("PASS_AUDIT_OVERDUE", 3)

# --- How long things are kept -----------------------------------------------------------------
# In days; 0 keeps for good. The audit log itself is never swept.
TRANSCRIPT_DAYS = env.integer("TRANSCRIPT_DAYS", 365)
SEARCHED_DAYS = env.integer("SEARCHED_DAYS", 730)

# --- Models -----------------------------------------------------------------------------------
# The guards of a draft: whose cases a critic reads, how often a rubric grades, how long an id is looked up.
CRITIC_KINDS = env.words("CRITIC_KINDS", ["claim"])
RUBRIC_ITERATIONS = env.integer("RUBRIC_ITERATIONS", 3, least=1)
GRADER_HAS_TOOLS = env.flag("GRADER_HAS_TOOLS", False)
CITATION_SECONDS = env.integer("CITATION_SECONDS", 3, least=1)
# Who gathers: with `auto`, a model where one is named, else the playbook.
INVESTIGATOR = env.choice("INVESTIGATOR", ("auto", "playbook", "model"), "auto")
MODEL_ENDPOINTS = {name: modelenv.endpoint(name) for name in modelenv.PREFIXES}
AGENT_MAX_TURNS = env.integer("AGENT_MAX_TURNS", 36, least=1)
AGENT_MAX_CALLS = env.integer("AGENT_MAX_CALLS", 60, least=1)
AGENT_MAX_TOKENS = env.integer("AGENT_MAX_TOKENS", 1_000_000, least=1_000)
AGENT_MAX_COST = env.decimal("AGENT_MAX_COST", Decimal(2))
AGENT_MAX_SECONDS = env.integer("AGENT_MAX_SECONDS", 900, least=1)
DRILLS_FOLDER = env.text("DRILLS_FOLDER", str(BASE_DIR / ".local" / "drills"))
DRILL_POLICY = env.text("DRILL_POLICY", str(BASE_DIR / "drills" / "policy.toml"))
NIGHTLY_TRIAL, WEEKLY_DRILL = schedulesenv.nightly(), schedulesenv.weekly()

# --- Limits -----------------------------------------------------------------------------------
DELIVERY_MAX_BYTES = env.integer("DELIVERY_MAX_BYTES", 2 * 1024 * 1024, least=1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = DELIVERY_MAX_BYTES + 1024
DELIVERY_TRIES = env.integer("DELIVERY_TRIES", 5, least=1)
LEASE_SECONDS = env.integer("LEASE_SECONDS", 60, least=2)
INVESTIGATION_ATTEMPTS = env.integer("INVESTIGATION_ATTEMPTS", 5, least=1)
CONNECTOR_PROOF_SECONDS = env.integer("CONNECTOR_PROOF_SECONDS", 600, least=1)
INVESTIGATION_MAX_CALLS = env.integer("INVESTIGATION_MAX_CALLS", 60, least=1)
TOOL_CALLS_A_MINUTE = env.integer("TOOL_CALLS_A_MINUTE", 600, least=1)
CALLER_CALLS_A_MINUTE = env.integer("CALLER_CALLS_A_MINUTE", 120, least=1)
TOOL_ASK_SECONDS = env.integer("TOOL_ASK_SECONDS", 45, least=1)
ASK_MAX_TURNS = env.integer("ASK_MAX_TURNS", 8, least=1)
ASK_MAX_CALLS = env.integer("ASK_MAX_CALLS", 12, least=1)
ASK_MAX_TOKENS = env.integer("ASK_MAX_TOKENS", 200_000, least=1)
ASK_MAX_COST = env.decimal("ASK_MAX_COST", Decimal(1))
ASK_MAX_SECONDS = env.integer("ASK_MAX_SECONDS", 120, least=1)
LIVE_LINKS = env.integer("LIVE_LINKS", 100)

# --- API --------------------------------------------------------------------------------------
# What describes it; who may call it is decided in triage/api/doors.py.
REST_FRAMEWORK = {"DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema"}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Assay",
    "VERSION": "1",
    "DESCRIPTION": "Incidents, their entries and verdicts, the rules; moves; and submissions of agents.",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "APPEND_COMPONENTS": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    "SECURITY": [{"token": []}],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "DISABLE_ERRORS_AND_WARNINGS": False,
}

# --- MCP --------------------------------------------------------------------------------------
# Exact values, ports included: a pattern would let a page of a stranger's reach a server at home.
MCP_ALLOWED_HOSTS = env.exact("MCP_ALLOWED_HOSTS")
MCP_ALLOWED_ORIGINS = env.exact("MCP_ALLOWED_ORIGINS")
MCP_MAX_BYTES = env.integer("MCP_MAX_BYTES", 262_144, least=1024)
MCP_THREADS = env.integer("MCP_THREADS", 4, least=1)
MCP_SENDS_JSON = True
OIDC_ISSUER = env.text("OIDC_ISSUER").rstrip("/")

# --- Traces -----------------------------------------------------------------------------------
# Spans of runs, in OpenTelemetry's own variables; it reads the others (headers, time-outs) by itself.
LANGFUSE_KEYS = langfuseenv.server()
TRACES_ARE_SENT = tracesenv.are_sent(langfuse=LANGFUSE_KEYS is not None)
TRACES_HOLD_CONTENT = env.flag("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", False)

# --- People -----------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# The sign-in page, the limits and the mails are ours (accounts); allauth keeps second factors, passkeys,
# single sign-on and the list of sessions. Nobody registers: people are invited.
ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_NOTIFICATIONS = False
ACCOUNT_RATE_LIMITS = False
MFA_RATE_LIMITS = False
MFA_ADAPTER = "accounts.adapters.SecondFactorAdapter"
MFA_FORMS = {
    "authenticate": "accounts.secondfactor.SignInCodeForm",
    "reauthenticate": "accounts.secondfactor.StepUpCodeForm",
    "activate_totp": "accounts.secondfactor.NewAppForm",
    "authenticate_webauthn": "accounts.secondfactor.SignInPasskeyForm",
    "login_webauthn": "accounts.secondfactor.PasskeyAloneForm",
    "add_webauthn": "accounts.secondfactor.NewPasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = "Assay"
MFA_TOTP_TOLERANCE = 1  # a phone's clock may be half a minute off
# Browsers allow passkeys without TLS on localhost alone; the check of the origin must allow what they do.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION
SOCIALACCOUNT_ADAPTER = "accounts.adapters.SingleSignOnAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True  # a form may post to ourselves alone, and the provider is elsewhere
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SSO_ISSUER = env.text("SSO_ISSUER").rstrip("/")
SSO_CLIENT_ID = env.text("SSO_CLIENT_ID")
SSO_CLIENT_SECRET = env.text("SSO_CLIENT_SECRET")
SSO_NAME = env.text("SSO_NAME", "single sign-on")
if SSO_ISSUER and not SSO_CLIENT_ID:
    raise ImproperlyConfigured(
        "SSO_CLIENT_ID: SSO_ISSUER is set, and the provider knows Assay by a client id. Set it."
    )
if PRODUCTION and SSO_ISSUER and not SSO_ISSUER.startswith("https://"):
    raise ImproperlyConfigured("SSO_ISSUER: production believes a provider over https:// alone.")
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "sso",
                "name": SSO_NAME,
                "client_id": SSO_CLIENT_ID,
                "secret": SSO_CLIENT_SECRET,
                "settings": {"server_url": SSO_ISSUER},
            }
        ]
        if SSO_ISSUER
        else [],
    }
}
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False

STATIC_URL = "static/"
# Collected for production only; elsewhere the files are served from where they lie.
_STATIC_ROOT = env.text("STATIC_ROOT", str(BASE_DIR / ".local" / "static") if PRODUCTION else "")
STATIC_ROOT = Path(_STATIC_ROOT) if _STATIC_ROOT else None
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not PRODUCTION

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if PRODUCTION:
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = env.flag("SECURE_SSL_REDIRECT", True)
    SECURE_HSTS_SECONDS = env.integer("SECURE_HSTS_SECONDS", 31_536_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    if BEHIND_PROXY:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"one_line": {"()": "triage.logfilters.RefusalInOneLine"}},
    "formatters": {"line": {"()": "triage.logfilters.MaskedLine"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
    "loggers": {
        "mcp": {"level": "WARNING"},  # it has a line for each request
        "httpx": {"level": "WARNING"},  # and so has this
        # A page that a role may not see is no fault: one line, without the stack that Django adds.
        "django.request": {"filters": ["one_line"]},
        "opentelemetry.exporter": {"level": "ERROR"},  # this one has one for each time that it tries again
    },
}
