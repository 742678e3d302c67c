"""What the bundle starts: `commonplace mcp`."""  # noqa: INP001 - a script

import sys

from commonplace.__main__ import main

if __name__ == "__main__":
    sys.argv[1:1] = ["mcp"]
    main()
