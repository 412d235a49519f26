"""The addresses of messages and routes."""

from django.urls import path

from notices import views

urlpatterns = [
    path("notices/", views.show_messages, name="notices"),
    path("notices/routes/", views.show_routes, name="notice_routes"),
    path("notices/routes/<int:number>/", views.show_route, name="notice_route"),
    path("notices/routes/<int:number>/test/", views.test_route, name="notice_route_test"),
    path("notices/routes/<int:number>/secret/", views.new_secret, name="notice_route_secret"),
    path("notices/routes/<int:number>/end/", views.end_route, name="notice_route_end"),
    path("account/notices/", views.own, name="own_notices"),
    path("account/notices/test/", views.test_own, name="own_notices_test"),
]
