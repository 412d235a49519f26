"""What came in, as people see it; and the form by which a person hands in a claim."""

import json
from urllib.parse import urlencode

import pytest

from accounts.models import Team
from accounts.roles import Role
from incidents.models import Delivery
from incidents.views import deliveries
from tests.db.sources import NOW, an_alert, body_of, deliver, make_source
from tests.web.pages import HTMX, MakeUser, a_person, text_of

pytestmark = pytest.mark.django_db


def test_another_teams_delivery_is_404_and_not_listed(make_user: MakeUser) -> None:
    delivery = deliver(make_source(team=Team.objects.create(name="Bank", slug="bank")), body_of(an_alert()))
    client = a_person(make_user)
    assert client.get(f"/deliveries/{delivery.pk}/").status_code == 404
    assert not client.get("/deliveries/").context["page"].rows
    assert a_person(make_user, "ines", Role.AUDITOR).get(f"/deliveries/{delivery.pk}/").status_code == 200


@pytest.mark.parametrize("number", [0, 999_999, 2**63, 10**30])
def test_a_number_without_a_delivery_is_404(make_user: MakeUser, number: int) -> None:
    assert a_person(make_user).get(f"/deliveries/{number}/").status_code == 404


@pytest.mark.parametrize("body", [b"", b"\x00\xff\xfe", b"<script>alert(1)</script>", b'{"a": NaN}', b"[]"])
def test_a_body_that_cannot_be_read_is_shown_as_it_is(make_user: MakeUser, body: bytes) -> None:
    delivery = deliver(make_source(), body)
    response = a_person(make_user).get(f"/deliveries/{delivery.pk}/")
    assert response.status_code == 200
    assert "What could not be read" in text_of(response)
    assert "unreadable" in text_of(response)
    assert "<script>alert" not in text_of(response)
    assert "\x00" not in text_of(response)


def test_a_whole_one_names_its_signals_and_their_incidents(make_user: MakeUser) -> None:
    delivery = deliver(make_source(), body_of(an_alert()))
    page = text_of(a_person(make_user).get(f"/deliveries/{delivery.pk}/"))
    incident = delivery.signals.get().incident_id
    assert f'href="/incidents/{incident}/"' in page
    assert "opened" in page
    assert "fp-a" in page


def test_a_large_body_is_cut_on_the_page_only(make_user: MakeUser) -> None:
    body = b'{"alerts": "' + b"W" * 500_000 + b'"}'
    delivery = deliver(make_source(), body)
    response = a_person(make_user).get(f"/deliveries/{delivery.pk}/")
    assert f"{len(body) - deliveries.BODY_SHOWN} not shown" in text_of(response)
    assert len(response.content) < 120_000


_TOKEN = "gh" + "p_" + "a1B2c3" * 6
_SAID = f"line\n{_TOKEN} and postgres://app:Tr0ub4dor@db/x?a=1&sig={'Zm9v' * 6}"


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"text": _SAID}).encode(),
        json.dumps({"text": _SAID}).replace("/", r"\/").replace("&", r"\u0026").encode(),
        json.dumps({"log": json.dumps({"text": _SAID})}).encode(),
        json.dumps({"text": _SAID}).encode("utf-16"),
        urlencode({"title": "T", "text": _SAID}).encode(),
        json.dumps({"labels": {"dsn": "Tr0ub4dor", "a": 1, "cookie": 'Tr0ub4dor "x"'}}).encode(),
        b'{"credentials":  "Tr0ub4dor',
        b"y " * (deliveries.BODY_SHOWN // 2 - 10) + _TOKEN.encode() + b"z" * 99,
    ],
    ids=["JSON", "PHP and Go", "JSON in JSON", "UTF-16", "form", "names", "broken off", "across the cut"],
)
def test_no_secret_of_a_raw_body_is_shown_however_it_was_written(make_user: MakeUser, body: bytes) -> None:
    delivery = deliver(make_source(), body)
    page = text_of(a_person(make_user).get(f"/deliveries/{delivery.pk}/")).replace("<wbr>", "")
    assert not {part for part in (_TOKEN[4:14], "Tr0ub4dor", "Zm9vZm9v") if part in page}


def test_filters_and_pages(make_user: MakeUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "PAGE", 2)
    source = make_source()
    for number in range(5):
        deliver(source, b"nothing" if number % 2 else body_of(an_alert(str(number))))
    client = a_person(make_user)
    first = client.get("/deliveries/?condition=whole").context["page"]
    assert {row.condition for row in first.rows} == {"whole"}
    second = client.get(f"/deliveries/?condition=whole&after={first.next_key}").context["page"]
    assert len(first.rows) + len(second.rows) == 3
    assert len(client.get("/deliveries/?condition=x&state=y&after=%00").context["page"].rows) == 2
    assert not client.get("/deliveries/?source=other").context["page"].rows
    assert text_of(client.get("/deliveries/", headers=HTMX)).startswith('<div id="deliveries"')


def test_what_was_too_large_is_counted_with_its_size_and_sender(make_user: MakeUser) -> None:
    make_source(oversized_count=3, oversized_last_bytes=9_000_000, oversized_last_sender="192.0.2.7")
    page = text_of(a_person(make_user).get("/deliveries/"))
    assert "3 bodies" in page
    assert "9000000" in page
    assert "192.0.2.7" in page


def test_a_parked_one_says_that_it_was_set_aside(make_user: MakeUser) -> None:
    delivery = Delivery.objects.create(
        source=make_source(), body=b"{}", received_at=NOW, state="parked", tries=5
    )
    assert "Set aside after 5 tries" in text_of(a_person(make_user).get(f"/deliveries/{delivery.pk}/"))


def test_one_that_is_not_folded_yet_looks_again_by_itself(make_user: MakeUser) -> None:
    delivery = Delivery.objects.create(source=make_source(), body=b"{}", received_at=NOW)
    assert 'hx-trigger="every 1s"' in text_of(a_person(make_user).get(f"/deliveries/{delivery.pk}/"))


# --- The claim form --------------------------------------------------------------------------------

CLAIM = {"about": "delivery", "title": "Nothing came", "text": "Where is it?", "order": "ORD-1042"}


def test_an_auditor_does_not_enter_claims(make_user: MakeUser) -> None:
    source = make_source("claims", adapter="claim")
    client = a_person(make_user, role=Role.AUDITOR)
    assert client.get("/claims/new/").status_code == 403
    assert client.post("/claims/new/", {**CLAIM, "source": source.pk}).status_code == 403
    assert not Delivery.objects.exists()


def test_without_a_place_for_claims_the_page_says_what_to_do(make_user: MakeUser) -> None:
    make_source("off", adapter="claim", is_active=False)
    make_source("other", adapter="claim", team=Team.objects.create(name="Bank", slug="bank"))
    assert "addsource claims --adapter claim" in text_of(a_person(make_user).get("/claims/new/"))


@pytest.mark.parametrize("change", [{"title": ""}, {"about": "x"}, {"email": "no"}, {"source": "0"}])
def test_a_claim_that_will_not_do_comes_back_with_what_was_typed(
    make_user: MakeUser, change: dict[str, str]
) -> None:
    source = make_source("claims", adapter="claim")
    response = a_person(make_user).post("/claims/new/", {**CLAIM, "source": source.pk, **change})
    assert response.status_code == 422
    assert "Where is it?" in text_of(response)
    assert not Delivery.objects.exists()


def test_a_claim_goes_the_way_of_every_delivery(make_user: MakeUser) -> None:
    source = make_source("claims", adapter="claim")
    response = a_person(make_user).post("/claims/new/", {**CLAIM, "source": source.pk})
    delivery = Delivery.objects.get()
    assert response.headers["Location"] == f"/deliveries/{delivery.pk}/"
    assert json.loads(bytes(delivery.body)) == CLAIM
    assert delivery.sender == "person:ada"
