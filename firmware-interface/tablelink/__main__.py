"""`python -m tablelink dump FILE`: see `tablelink.dump`."""

from __future__ import annotations

import sys

from tablelink.dump import main

if __name__ == "__main__":
    sys.exit(main())
