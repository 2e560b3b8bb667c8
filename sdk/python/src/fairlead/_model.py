"""Shared parts of the generated models."""

from pydantic import BaseModel, ConfigDict

NAMES_OF_PYDANTIC_1 = """
    construct copy dict from_orm json parse_file parse_obj parse_raw schema schema_json update_forward_refs
    validate
"""
OF_PYDANTIC_1 = frozenset(NAMES_OF_PYDANTIC_1.split())


class Model(BaseModel):
    """A schema. Its validator is built at first use, because a command uses only a few of hundreds."""

    model_config = ConfigDict(defer_build=True)

    def _repr_html_(self) -> str:
        from fairlead import _html

        return _html.of(self)

    def __dir__(self) -> list[str]:
        """Hides the methods that pydantic retains from version 1."""
        return [name for name in super().__dir__() if name not in OF_PYDANTIC_1]
