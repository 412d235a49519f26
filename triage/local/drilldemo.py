"""`make drill-demo`: a drill between two scripted endpoints, on servers and data of its own."""

import os
import signal
import subprocess
import sys

from triage.local import children, passwords, processes, supervisor
from triage.local.claim import Claim
from triage.local.launch import Stopped, folder_of
from triage.local.prepare import Preparation
from triage.local.progress import Step
from triage.local.refusals import CannotStart
from triage.local.servers import Servers
from triage.local.start import ROOT
from triage.local.supervisor import Supervisor


def main() -> None:
    """Answer to `python -m triage.local.drilldemo [worse|better]`; every refusal is one sentence."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    if os.environ.get("MAKELEVEL"):
        processes.end_with_parent(signal.SIGTERM)
    try:
        # Beside a running demo, and not in its way: nothing here is shared with it.
        with Claim(folder_of(os.environ) / "drill-demo") as claim:
            raise SystemExit(_play(claim, sys.argv[1:2]))
    except CannotStart as refusal:
        print(f"\nassay: {refusal}", file=sys.stderr)
        raise SystemExit(2) from None
    except Stopped:
        print("Stopped. Start it again to go on.", flush=True)
        raise SystemExit(0) from None


def _play(claim: Claim, candidate: list[str]) -> int:
    supervisor.clean_up(claim.folder)
    kept = passwords.keep(claim.folder / "secrets.json")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DATABASE_")}
    environment.pop("REDIS_URL", None)
    servers = Servers(claim.folder, kept, environment)
    keeper = Supervisor(ROOT, claim.folder)
    try:
        step = Step("Starting PostgreSQL and Valkey")
        servers.start()
        step.done()
        for name, pid in servers.pids().items():
            keeper.note_server(name, pid)
        csvs = claim.folder / "csv"
        variables = {
            **environment,
            **servers.variables,
            "SECRET_KEY": kept["secret_key"],
            "DRILLS_FOLDER": str(csvs),
        }
        Preparation(ROOT, claim.folder, servers, keeper).run(variables, passwords=kept, with_world=False)
        return _command(variables, candidate)
    finally:
        keeper.stop()
        servers.close()
        keeper.forget()


def _command(variables: dict[str, str], candidate: list[str]) -> int:
    seen = children.environment_of("command", variables, connector_names=frozenset())
    arguments = ["manage.py", "drilldemo", *(f"--candidate={each}" for each in candidate)]
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**seen, "DATABASE_POOL": "0", "PYTHONUNBUFFERED": "1"},
        preexec_fn=processes.dies_with_parent(signal.SIGKILL),
    )
    try:
        return process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _stop(number: int, frame: object) -> None:
    raise Stopped


if __name__ == "__main__":
    main()
