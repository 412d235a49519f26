"""From one incident of a list to the one beside it, as the list stands now."""

from accounts.models import User
from incidents import keyset, queue
from incidents.models import Incident
from incidents.queue_wants import Wanted


def beside(user: User, want: Wanted, incident: Incident, *, is_back: bool = False) -> int | None:
    """Return the number of the incident that stands after this one in the wanted list, or before it.

    This one need not stand there any more: what was just closed has left its tab, and its place is known.
    None where the list ends here.
    """
    seen = queue.sight(user)
    key = keyset.key_of(incident, queue.ORDERS[want.sort])
    place = {"before": key, "after": ""} if is_back else {"before": "", "after": key}
    among = None if want.is_counted else queue.few(seen, want)
    found = queue.page(seen, want.placed(**place), size=1, among=among).rows
    return found[0].pk if found else None
