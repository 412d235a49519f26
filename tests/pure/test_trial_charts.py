"""Scores as a chart lays them out: a dot at its height, its interval around it."""

from datetime import UTC, datetime

from incidents.figures.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from incidents.figures.intervals import Interval
from trials.charts import Score, scores

AT = datetime(2026, 11, 3, tzinfo=UTC)


def test_nothing_is_drawn_of_no_score() -> None:
    chart = scores([])
    assert (chart.points, chart.labels, chart.line) == ([], [], "")


def test_one_score_is_a_dot_without_a_line_and_without_an_interval_has_no_height() -> None:
    chart = scores([Score(AT, 1.0, None, "all", "/")])
    (point,) = chart.points
    assert chart.line == ""
    assert point.low == point.y == point.high == TOP
    assert chart.labels[0].text == "3 Nov"


def test_an_interval_lies_around_its_dot_and_all_lie_inside_of_the_chart() -> None:
    chart = scores([Score(AT, 0.5, Interval(0.0, 1.0), "half", "/")] * 30)
    assert chart.line.count(",") == 30
    assert len(chart.labels) <= 8
    for point in chart.points:
        assert TOP == point.high < point.y < point.low == HEIGHT - BOTTOM
        assert LEFT < point.x < WIDTH - RIGHT
