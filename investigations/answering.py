"""Answering a person's question about an incident: a model with the tools of its runs, and less time.

What it says is kept with each turn on the way to it. It decides nothing, and no case holds it. Each id in the
answer is looked up at the end; what can't be confirmed is said beside the answer at once, as somebody waits.
"""

from investigations import questions, talking, watching
from investigations.happenings import Happening
from investigations.questions import QuestionTaken
from investigations.watching import Watching


def answer(question_id: int) -> None:
    """Answer one queued question; safe to call any number of times.

    Whatever keeps a model from answering ends the question with the reason in words. Must be called outside
    any transaction, since each tool call commits its entry at once.
    """
    held = questions.claim(question_id)
    if held is None:
        return
    watcher = Watching(watching.of_question(question_id))
    watcher.note(Happening.BEGAN, {})
    try:
        ended = talking.Talk(held, watcher).answer()
        questions.finish(held, ended, actor=talking.CALLER)
    except QuestionTaken:
        return  # whoever took it or stopped it has told the watchers
    except Exception:
        questions.give_back(held)
        raise
    watcher.note(Happening.ENDED, {"state": ended.state.value})
