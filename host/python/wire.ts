/** The one module of the Python package that is the same whatever the schema says. */
export const wireModule = `"""Turns arguments into what travels to the provider."""

from __future__ import annotations

from inspect import isawaitable
from typing import Any, Mapping

import pulumi


def wire(value: Any, shape: Mapping[str, Any] | None, *, secret: bool = False) -> Any:
    """The value with the provider's names in the place of Python's.

    Names that are not in the shape stay as they are: keys of maps, and names that are written as in the documentation.
    """
    if value is None:
        return None
    named = _named(value, shape)
    return pulumi.Output.secret(named) if secret else named


def _named(value: Any, shape: Mapping[str, Any] | None) -> Any:
    if shape is None or value is None:
        return value
    if isinstance(value, pulumi.Output) or isawaitable(value):
        return pulumi.Output.from_input(value).apply(lambda known: _named(known, shape))
    if isinstance(value, Mapping):
        return dict(_entry(key, entry, shape) for key, entry in value.items())
    if isinstance(value, (list, tuple)):
        return [_named(entry, shape.get("items")) for entry in value]
    return value


def _entry(key: str, value: Any, shape: Mapping[str, Any]) -> tuple[str, Any]:
    fields = shape.get("fields", {})
    for python, (name, inner) in fields.items():
        if key in (python, name):
            return name, _named(value, inner)
    return key, _named(value, shape.get("values"))
`;
