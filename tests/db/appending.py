"""One of the processes of the sealing test: appends, rolls back, commits late; prints what it committed.

Run as `python -m tests.db.appending DSN COUNT SEED`; light on purpose: psycopg and nothing else.
"""

import random
import sys
import time

import psycopg

APPEND = """SELECT audit_append('thing.done', '"worker"', 1, 2, %s, %s)::json ->> 'id'"""


def main(dsn: str, count: int, seed: int) -> None:
    """Commit `count` entries on two connections, so that a late transaction does not stop the rest."""
    chance = random.Random(seed)
    with psycopg.connect(dsn) as prompt, psycopg.connect(dsn) as slow:
        waiting: list[int] = []
        due, done = 0.0, 0
        while done < count:
            if waiting and time.monotonic() >= due:
                slow.commit()
                done += report(waiting)
                waiting = []
            kind = chance.random()
            if kind < 0.1 and not waiting:
                waiting = [append(slow, chance) for _ in range(chance.randint(1, 3))]
                due = time.monotonic() + chance.uniform(0.02, 0.3)
            elif kind < 0.25:
                append(prompt, chance)
                prompt.rollback()
            else:
                numbers = [append(prompt, chance) for _ in range(chance.randint(1, 3))]
                prompt.commit()
                done += report(numbers)
        slow.commit()
        report(waiting)


def append(link: "psycopg.Connection[tuple[str]]", chance: random.Random) -> int:
    """Append one entry; return its id."""
    row = link.execute(APPEND, [chance.randbytes(32), f'{{"n":{chance.randrange(10**9)}}}']).fetchone()
    assert row is not None
    return int(row[0])


def report(numbers: list[int]) -> int:
    """Print committed ids; return how many."""
    for number in numbers:
        print(number)
    return len(numbers)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
