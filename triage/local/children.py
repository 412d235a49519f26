"""What runs: the web process, one worker for each queue, beat; and which secret each of them is given."""


def worker_arguments(queues: str, *, concurrency: int = 1) -> tuple[str, ...]:
    """Return what follows `python` to start a worker for the comma-separated queues."""
    name = queues.replace(",", "-")
    return (
        "-m", "celery", "--app", "triage", "worker", "--queues", queues, "--hostname", f"{name}@%h",
        "--concurrency", str(concurrency), "--loglevel", "WARNING", "--without-gossip", "--without-mingle",
    )  # fmt: skip
