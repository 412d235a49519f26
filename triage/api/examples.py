"""What the description prints as an example of each answer, and of the shortest things to send.

A test holds each to the fields of its form, and those of incidents and entries to real answers.
"""

from collections.abc import Mapping
from typing import Any

_VERDICT: Mapping[str, Any] = {
    "passed": False,
    "hypothesis": "transient_upstream_timeout",
    "reason": "Entry 4713: match_count is 3.",
}
_INCIDENT: Mapping[str, Any] = {
    "number": 42,
    "url": "https://assay.example.com/incidents/42/",
    "title": "Job job-48107 failed with UpstreamTimeout",
    "kind": "alert",
    "severity": "warning",
    "state": "review",
    "source": "prometheus",
    "team": "payments",
    "assignee": None,
    "started_at": "2026-03-02T08:00:00.000000Z",
    "last_received_at": "2026-03-02T08:00:14.605221Z",
    "recovered_at": None,
    "acknowledged_at": None,
    "snoozed_until": None,
    "closed_at": None,
    "version": 4,
    "veiled": False,
    "verdict": _VERDICT,
}
_ONE: Mapping[str, Any] = {
    **_INCIDENT,
    "labels": {"alertname": "JobFailed", "job_id": "job-48107", "service": "payments"},
    "annotations": {"summary": "The card processor did not answer within 10 s."},
    "identifiers": {"job_id": "job-48107", "service": "payments"},
    "classification": None,
}
_ENTRY: Mapping[str, Any] = {
    "entry": 4711,
    "recorded_at": "2026-03-02T08:00:15.848667Z",
    "kind": "tool.called",
    "actor": "playbook",
    "incident": 42,
    "investigation": 57,
    "leaf": "411f2f9c1471d6a598fcbc1b0375882f5937aa821481290ed1661849cc502b2b",
    "payload": {
        "tool": "find_job",
        "arguments": {"job_id": "job-48107"},
        "status": "observed",
        "result": {"job": {"id": "job-48107", "state": "completed"}},
    },
}
_RULEBOOK = "b444bd30ccbbe156fe8c5005f39bc23b5708eab52952a8409ab2a320b04184b6"

# By the name of the form, as the description's components have it.
FORMS: Mapping[str, Any] = {
    "OneIncident": _ONE,
    "Incidents": {"incidents": [_INCIDENT], "next": "/api/v1/incidents?limit=1&after=42"},
    "Entry": _ENTRY,
    "Entries": {"entries": [_ENTRY], "next": "/api/v1/incidents/42/entries?after=4711&limit=1"},
    "Verdicts": {
        "verdicts": [
            {
                **_VERDICT,
                "verdict": 88,
                "investigation": 57,
                "rulebook": _RULEBOOK,
                "created_at": "2026-03-02T08:00:16.645022Z",
                "decided": {
                    "deciding": "no_recurrence_since",
                    "facts": [
                        {
                            "name": "no_recurrence_since",
                            "tool": "count_log_matches",
                            "demanded": {"query": "UpstreamTimeout", "since": "2026-03-02T08:00:00.000000Z"},
                            "entry": 4713,
                            "outcome": "fails",
                            "reason": "Entry 4713: match_count is 3.",
                        }
                    ],
                },
            }
        ]
    },
    "Rules": {
        "rulebook": _RULEBOOK,
        "rules": [
            {
                "name": "transient_upstream_timeout",
                "sentence": "A job failed because an upstream call timed out, and its retry finished.",
                "version": 1,
                "kinds": ["alert"],
                "needs": ["error_class", "job_id", "service", "tenant"],
                "facts": [
                    {
                        "name": "job_completed_on_retry",
                        "sentence": "The job completed on a retry, after the incident began",
                        "tool": "find_job",
                    }
                ],
            }
        ],
    },
    "Noted": {"note": 12, "text": "Asked @ada to look at the queue.", "unreached": []},
    "Move": {"version": 4},
    "Reopen": {"version": 5, "reason": "It fired again an hour later."},
}

_STATE: Mapping[str, Any] = {
    "investigation": 57,
    "incident": 42,
    "investigator": "external",
    "state": "running",
    "until": "2026-03-02T12:00:00.000000Z",
    "subject": {"title": _INCIDENT["title"], "identifiers": _ONE["identifiers"]},
    "rules": [
        {
            "name": "transient_upstream_timeout",
            "sentence": "A job failed because an upstream call timed out, and its retry finished.",
            "questions": [
                {
                    "fact": "job_completed_on_retry",
                    "sentence": "The job completed on a retry, after the incident began",
                    "tool": "find_job",
                    "arguments": {"job_id": "job-48107"},
                    "not_before": None,
                }
            ],
        }
    ],
    "entries": [],
    "verdict": None,
    "draft": None,
    "submission": None,
}
_SUBMITTED: Mapping[str, Any] = {
    "digest": "5f1c6d0a2b1e4f7788a3d9c0e6b5a4f3928170615243f4e5d6c7b8a990817263",
    "hypothesis": "transient_upstream_timeout",
    "proposed_hypothesis": "",
    "by": "token:agent",
    "taken_at": "2026-03-02T08:05:00.000000Z",
    "entry": 4720,
    "state": "judged",
    "verdict": _VERDICT,
}
_PENDING: Mapping[str, Any] = {
    "investigation": 57,
    "incident": 42,
    "detail": "A critic looks at it first. Send the same again in some seconds.",
}

# By the end of the address, method and status: what has no form of its own.
FREE: Mapping[tuple[str, str, str], Any] = {
    ("/investigations/{number}", "get", "200"): _STATE,
    ("/investigations/own", "get", "200"): _STATE,
    ("/investigations/{number}/submission", "get", "200"): _SUBMITTED,
    ("/investigations/own/submission", "get", "200"): _SUBMITTED,
    ("/investigations/{number}/submission", "post", "202"): _PENDING,
    ("/investigations/own/submission", "post", "202"): _PENDING,
    ("/schemas/submission", "get", "200"): {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Submission, version 1",
        "type": "object",
        "required": ["version", "hypothesis", "findings", "draft"],
    },
    ("/incidents.csv", "get", "200"): (
        "number,title,kind,severity,state,source,team,assignee,started_at,last_received_at,closed_at,passed,"
        "hypothesis\n42,Job job-48107 failed with UpstreamTimeout,alert,warning,review,prometheus,payments,,"
        "2026-03-02T08:00:00.000000Z,2026-03-02T08:00:14.605221Z,,False,transient_upstream_timeout\n"
    ),
    ("/openapi.json", "get", "200"): {"openapi": "3.0.3", "info": {"title": "Assay"}, "paths": {}},
}
