"""The address that a load balancer asks."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 while the database answers, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        response = HttpResponse("The database does not answer.\n", content_type="text/plain", status=503)
        response.headers["Retry-After"] = "5"
        return response
    return HttpResponse("ok\n", content_type="text/plain")
