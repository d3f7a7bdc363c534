"""What the parts of a table.toml have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictInt

Seat = Annotated[StrictInt, Field(ge=1, le=11)]
Line = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
"""Text that can be printed and can name a file."""


class Part(BaseModel):
    """A table of the file, all of whose keys are known."""

    model_config = ConfigDict(frozen=True, extra="forbid")
