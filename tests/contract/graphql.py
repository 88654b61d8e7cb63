"""GitHub's GraphQL schema: queries must be valid, replies must be what executing them would give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphql import GraphQLError, GraphQLSchema, build_schema, execute_sync, parse, validate


class GraphqlDescription:
    """Says what is wrong with a query or a reply; an empty list means nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._schema: GraphQLSchema | None = None

    def faults(self, query: str, variables: dict[str, Any], reply: dict[str, Any]) -> list[str]:
        # Building takes seconds, so it waits for the first query.
        if self._schema is None:
            self._schema = build_schema(self._path.read_text(), assume_valid=True)
        try:
            document = parse(query)
        except GraphQLError as error:
            return [str(error)]
        found = [str(error) for error in validate(self._schema, document)]
        data = reply.get("data")
        if found or data is None:
            return found
        # The reply as the data to execute on: what comes out must be the reply itself.
        result = execute_sync(self._schema, document, data, variable_values=variables)
        found += [str(error) for error in result.errors or []]
        if not found and result.data != data:
            found.append(f"GitHub would answer {result.data}, the forge said {data}")
        return found
