"""The command line: `pagedkv lab`, `pagedkv doctor`."""

import typer

app = typer.Typer(no_args_is_help=True, help=__doc__)
