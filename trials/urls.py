"""The addresses of evaluations, drills and golden sets."""

from django.urls import path

from trials.views import comparing, drills, evaluations, golden, lists, review, scheduled

urlpatterns = [
    path("trials/", lists.show_all, name="trials"),
    path("trials/compare/", comparing.show, name="trials_compare"),
    path("trials/scheduled/", scheduled.show, name="trials_scheduled"),
    path("trials/evaluations/<int:number>/", evaluations.show, name="evaluation"),
    path("trials/evaluations/<int:number>.<str:form>", evaluations.download, name="evaluation_file"),
    path("trials/evaluation-runs/<int:number>/", evaluations.show_run, name="evaluation_run"),
    path("trials/drills/<int:number>/", drills.show, name="drill"),
    path("trials/drills/<int:number>/promote/", drills.promote, name="drill_promote"),
    path("trials/drills/<int:number>/override/", drills.override, name="drill_override"),
    path("trials/drills/<int:number>/review/", review.begin, name="drill_review"),
    path("trials/drills/<int:number>/review/<int:place>/", review.show, name="drill_row"),
    path("trials/drill-runs/<int:number>.csv", drills.download, name="drill_run_file"),
    path("trials/golden/", golden.show_all, name="golden_sets"),
    path("trials/golden/<int:number>/", golden.show, name="golden_set"),
    path("trials/golden/<int:number>/settle/", golden.settle, name="golden_settle"),
]
