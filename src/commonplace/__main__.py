"""The way in. MCP on stdio is taken first, before anything is imported that might print."""

import sys


def main() -> None:
    """Run the command line; `mcp` has standard output to itself from the first moment on."""
    if sys.argv[1:2] == ["mcp"] and not {"-h", "--help"} & set(sys.argv):
        from commonplace.server.stdout import claim_stdout

        sink = claim_stdout()
        from commonplace.mcp import read, run

        sys.exit(run(read(sys.argv[2:]), sink))
    from commonplace.cli import cli

    cli()


if __name__ == "__main__":
    main()
