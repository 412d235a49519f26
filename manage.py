#!/usr/bin/env python
"""Run one of Assay's commands."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "triage.settings")
    from triage.local.adoption import adopt

    adopt(Path(__file__).resolve().parent)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
