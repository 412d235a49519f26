"""Trials that run by themselves: a small evaluation each night, a drill each week, and their alarms."""
