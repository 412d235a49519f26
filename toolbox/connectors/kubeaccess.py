"""Where a cluster is and as whom it is asked, by a kubeconfig or by the pod's own account.

Both are read by the official client, which also runs what a kubeconfig names for a fresh token.
"""

import importlib
import os
import ssl
import threading
from dataclasses import dataclass, field
from typing import Any

from assay_core.results import Status
from toolbox.connectors.endpoint import Credentials, Endpoint, Site, site_of
from toolbox.connectors.httpstatus import Failure


@dataclass(frozen=True, slots=True)
class ClusterEndpoint(Endpoint):
    """A cluster that a file names: `config_env` holds its path, or `config_file` is it.

    Without either the pod's own account is used.
    """

    config_env: str = ""
    config_file: str = ""
    context: str = ""
    _read: list[Any] = field(default_factory=list, init=False, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that must be set before anything can be asked."""
        return () if self.config_file else (self.config_env or "KUBERNETES_SERVICE_HOST",)

    @property
    def shown(self) -> str:
        """What may be shown of the credential: where it comes from."""
        return self.config_env or "the pod's service account"

    def site(self) -> Site:
        """Return the cluster's address; raise Failure."""
        return site_of(str(self._configuration().host), self._where)

    def credentials(self) -> Credentials:
        """Return this moment's token, which the client renews where it runs out; raise Failure."""
        try:
            settings = self._configuration().auth_settings().values()
        except Failure:
            raise
        except Exception as error:  # noqa: BLE001 a foreign program may have been run for it
            raise self._unreadable(error) from None
        values = [str(one["value"]) for one in settings if one.get("value")]
        for value in values:
            if not value.isascii() or not value.isprintable():
                raise Failure(Status.ERROR, f"{self._where} holds what no HTTP header can carry")
        headers = tuple((b"Authorization", value.encode("ascii")) for value in values[:1])
        secrets = tuple(value.partition(" ")[2] or value for value in values)
        return Credentials(headers, secrets, f"Check {self._where}, and what its account may read")

    def tls(self) -> ssl.SSLContext:
        """Return a context that verifies, with the client's certificate if there is one; raise Failure."""
        read = self._configuration()
        if not read.verify_ssl:
            raise Failure(Status.ERROR, f"{self._where} switches off the check of the cluster's certificate")
        try:
            context = ssl.create_default_context(cafile=read.ssl_ca_cert or None)
            if read.cert_file:
                context.load_cert_chain(read.cert_file, read.key_file)
        except OSError as error:
            raise self._unreadable(error) from None
        return context

    @property
    def _where(self) -> str:
        if self.config_file:
            return "the credential's kubeconfig"
        return f"the kubeconfig that {self.config_env} names" if self.config_env else "the pod's account"

    def _configuration(self) -> Any:
        with self._lock:
            if not self._read:
                self._read.append(self._loaded())
            return self._read[0]

    def _loaded(self) -> Any:
        client: Any = importlib.import_module("kubernetes.client")
        config: Any = importlib.import_module("kubernetes.config")

        made = client.Configuration()
        try:
            if not self.config_env and not self.config_file:
                config.load_incluster_config(client_configuration=made)
                return made
            file = self.config_file or os.environ.get(self.config_env, "").strip()
            if not file:
                raise Failure(Status.UNAVAILABLE, f"the environment variable {self.config_env} is not set")
            config.load_kube_config(
                config_file=file,
                context=self.context or None,
                client_configuration=made,
                persist_config=False,
            )
        except Failure:
            raise
        except Exception as error:  # noqa: BLE001 whatever stands in somebody's file
            raise self._unreadable(error) from None
        return made

    def _unreadable(self, error: Exception) -> Failure:
        return Failure(Status.UNAVAILABLE, f"{self._where} cannot be used ({type(error).__name__})")
