"""Options that several commands share, so that they are called and explained the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

Assume = Annotated[
    list[str] | None,
    typer.Option(metavar="COND", help='What is known of the parameters, such as "b != 0"; repeatable.'),
]
Domain = Annotated[
    list[str] | None,
    typer.Option(metavar="COND", help='Where the state lives, such as "z > 0"; repeatable.'),
]
Unit = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=UNIT", help="The unit of the state or of a parameter; repeatable."),
]
Known = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help='For --derive, such as "m=0.1515 kg"; repeatable.'),
]
Derive = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=EXPR", help='Computed from parameters, such as "k=m*a"; repeatable.'),
]
Columns = Annotated[
    str | None, typer.Option(metavar="ROLE=NAME,..", help="Columns: time, state, velocity, clip.")
]
Memory = Annotated[
    int | None, typer.Option(metavar="MB", help="Stop beyond this much memory; 2048 unless given.")
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
