"""What the generated models have in common."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A schema; its validator is built when first used, since a command uses a few of hundreds."""

    model_config = ConfigDict(defer_build=True)
