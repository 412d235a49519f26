"""`python -m verdicts.prove` is `assay-prove`."""

import sys

from verdicts.prove.command import main

sys.exit(main())
