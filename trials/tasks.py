"""What workers do for trials. Each task carries an id and holds no logic."""

from celery import shared_task

from trials.evaluating import running


@shared_task(acks_late=True, ignore_result=True)
def make_run(number: int) -> None:
    """Make one run of an evaluation. A second message with the same id does nothing."""
    running.run(number)
