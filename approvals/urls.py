"""The addresses of approvals."""

from django.urls import path

from approvals.views import attention, calendar, deciding, glass, requests, standing

urlpatterns = [
    path("approvals/", requests.show_all, name="approvals"),
    path("approvals/<int:number>/", requests.show, name="approval"),
    path("approvals/<int:number>/gates/", requests.gates, name="approval_gates"),
    path("approvals/<int:number>/decide/", deciding.decide, name="approval_decide"),
    path("approvals/<int:number>/edit/", deciding.edit, name="approval_edit"),
    path("approvals/<int:number>/withdraw/", deciding.withdraw, name="approval_withdraw"),
    path("approvals/<int:number>/settle/", deciding.settle, name="approval_settle"),
    path("approvals/<int:number>/roll-back/", deciding.roll_back, name="approval_roll_back"),
    path("approvals/switch/", standing.switch, name="write_switch"),
    path("approvals/switch/flip/", standing.flip, name="write_switch_flip"),
    path("approvals/breakers/", standing.breakers, name="breakers"),
    path("approvals/breakers/<int:number>/close/", standing.close, name="breaker_close"),
    path("approvals/calendar/", calendar.show, name="calendar"),
    path("approvals/calendar/make/", calendar.make, name="freeze_make"),
    path("approvals/calendar/<int:number>/end/", calendar.end, name="freeze_end"),
    path("approvals/calendar/<int:number>/except/", calendar.except_one, name="freeze_except"),
    path("approvals/glass/", glass.show, name="glass"),
    path("approvals/glass/break/", glass.break_it, name="glass_break"),
    path("approvals/glass/<int:number>/review/", glass.review, name="glass_review"),
    path("approvals/attention/", attention.show, name="attention"),
]
