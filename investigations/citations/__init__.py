"""The guard of a draft's ids and figures: it annotates, and has no way to a verdict."""

from investigations.citations.checking import Checked, Cited, Ground, check
from investigations.citations.patterns import BUILT_IN, LookUp, Pattern

__all__ = ["BUILT_IN", "Checked", "Cited", "Ground", "LookUp", "Pattern", "check"]
