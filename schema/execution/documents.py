"""Documents parsed, measured and validated once, and kept while they are in use.

Everything that depends on the text alone happens here and is remembered with its errors, so that a repeated document
costs a dictionary lookup. Limits come before validation, whose effort grows faster than the document.
"""

import re
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Final

from graphql import (
    ASTValidationRule,
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    GraphQLSyntaxError,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    parse,
    specified_rules,
    validate,
    value_from_ast_untyped,
)
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from domain.errors import LimitExceeded
from domain.limits import MAX_ALIASES, MAX_QUERY_COST, MAX_QUERY_DEPTH, MAX_QUERY_TOKENS, MAX_ROOT_FIELDS
from schema.execution.cost import depends_on_variables, weigh
from schema.execution.inputs import Inputs
from schema.execution.measure import Measurement, Size
from schema.execution.planned import Plans, surroundings

MAX_DOCUMENTS: Final = 1_000
MAX_CACHED_TOKENS: Final = 300_000

_TOKEN: Final = re.compile(
    r'''"""(?:\\"""|[^"]|"(?!""))*+"""|"(?:[^"\\\n\r]|\\.)*+"|(?P<comment>\#[^\n\r]*)'''
    r"""|[_A-Za-z][_0-9A-Za-z]*|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?|\.\.\.|[!$&()\[\]{}:=@|]"""
)

_RULES: Final = (*specified_rules, MaybeNullValidationRule, OneOfInputValidationRule)


class OperationKind(StrEnum):
    """What an operation asks for."""

    QUERY = "query"
    MUTATION = "mutation"
    SUBSCRIPTION = "subscription"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a document, ready to be executed; `identity` is the same for all who send the same text.

    `fixed_cost` is its cost where that is the same under all variables.
    """

    document: DocumentNode
    name: str | None
    kind: OperationKind
    size: Size
    defaults: Mapping[str, object]
    plans: Plans
    fixed_cost: int | None = None
    identity: object = field(default_factory=object)

    def cost(self, variables: Mapping[str, object]) -> int:
        """The cost under these variables (see schema/execution/cost.py)."""
        if self.fixed_cost is not None:
            return self.fixed_cost
        return weigh(self.size.weight, {**self.defaults, **variables} if self.defaults else variables)

    def check_cost(self, variables: Mapping[str, object]) -> None:
        """Raise LimitExceeded (QUERY_TOO_COSTLY) where the operation costs more than 200,000 objects."""
        cost = self.cost(variables)
        if cost > MAX_QUERY_COST:
            raise _over("QUERY_TOO_COSTLY", "costs up to {:,} objects", cost, MAX_QUERY_COST, "Ask for shorter pages")


@dataclass(frozen=True, slots=True)
class Document:
    """A document's operations by name, or the errors that keep it from running."""

    operations: Mapping[str | None, Operation] = field(default_factory=dict)
    errors: tuple[GraphQLError, ...] = ()
    tokens: int = 0


class Documents:
    """Reads documents for one schema, with a bounded memory of the latest ones."""

    def __init__(self, schema: GraphQLSchema, *, introspection: bool = True, suggestions: bool = True) -> None:
        self.schema = schema
        self.rules: tuple[type[ASTValidationRule], ...] = _RULES
        if not introspection:
            self.rules = (*_RULES, NoSchemaIntrospectionCustomRule)
        self.suggestions = suggestions
        self._inputs = Inputs(schema._strawberry_schema.schema_converter)  # type: ignore[attr-defined]
        self._known: OrderedDict[str, Document] = OrderedDict()
        self._tokens = 0

    def known(self, text: str) -> Document | None:
        """The document where its text was read before."""
        found = self._known.get(text)
        if found is not None:
            self._known.move_to_end(text)
        return found

    def read(self, text: str) -> Document:
        """Parse, measure and validate a document, and keep it; what is wrong with it is in its `errors`."""
        document = self.parse(text)
        self.keep(text, document)
        return document

    def parse(self, text: str) -> Document:
        """As `read`, without keeping it; may run in a thread."""
        if has_too_many_tokens(text):
            limit = _too_many_tokens()
            return Document(errors=(GraphQLError(limit.message, original_error=limit),))
        try:
            ast = parse(text, max_tokens=MAX_QUERY_TOKENS)
        except GraphQLSyntaxError as error:
            return Document(errors=(_explain(error),))
        tokens = ast.token_count or 0
        measurement = Measurement(self.schema, ast)
        nodes = [node for node in ast.definitions if isinstance(node, OperationDefinitionNode)]
        sizes = [measurement.operation(node) for node in nodes]
        errors = [error for size, node in zip(sizes, nodes, strict=True) for error in _over_limits(size, node)]
        if not errors:
            errors = validate(self.schema, ast, self.rules, hide_suggestions=not self.suggestions)
        if errors:
            return Document(errors=tuple(errors), tokens=tokens)
        around = surroundings(self.schema, ast, self._inputs)
        operations = [_operation(ast, node, size, Plans(around, node)) for size, node in zip(sizes, nodes, strict=True)]
        return Document({operation.name: operation for operation in operations}, tokens=tokens)

    def keep(self, text: str, document: Document) -> None:
        """Remember a document, and forget the oldest ones where there are too many."""
        previous = self._known.pop(text, None)
        self._tokens += document.tokens - (previous.tokens if previous else 0)
        self._known[text] = document
        while len(self._known) > MAX_DOCUMENTS or self._tokens > MAX_CACHED_TOKENS:
            _, oldest = self._known.popitem(last=False)
            self._tokens -= oldest.tokens


def _operation(document: DocumentNode, node: OperationDefinitionNode, size: Size, plans: Plans) -> Operation:
    defaults = {
        definition.variable.name.value: value_from_ast_untyped(definition.default_value)
        for definition in node.variable_definitions or ()
        if definition.default_value is not None
    }
    name = node.name.value if node.name else None
    fixed_cost = None if depends_on_variables(size.weight) else weigh(size.weight, {})
    return Operation(document, name, OperationKind(node.operation.value), size, defaults, plans, fixed_cost)


def _over_limits(size: Size, node: OperationDefinitionNode) -> list[GraphQLError]:
    found: list[LimitExceeded] = []
    if size.depth > MAX_QUERY_DEPTH:
        found.append(_over("QUERY_TOO_DEEP", "nests {:,} fields deep", size.depth, MAX_QUERY_DEPTH))
    if size.aliases > MAX_ALIASES:
        found.append(_over("TOO_MANY_ALIASES", "has {:,} aliases", size.aliases, MAX_ALIASES))
    if size.fields > MAX_ROOT_FIELDS:
        found.append(_over("TOO_MANY_ROOT_FIELDS", "has {:,} root fields", size.fields, MAX_ROOT_FIELDS))
    return [GraphQLError(error.message, node, original_error=error) for error in found]


def _over(code: str, found: str, actual: int, limit: int, advice: str = "Split it") -> LimitExceeded:
    return LimitExceeded(
        f"The operation {found.format(actual)}; at most {limit:,} are allowed. {advice}.",
        code=code,
        limit=limit,
        actual=actual,
    )


def has_too_many_tokens(text: str) -> bool:
    """Whether a document is over the limit, found at a hundredth of what the parser takes to get there."""
    if len(text) <= MAX_QUERY_TOKENS:
        return False
    tokens = (match for match in _TOKEN.finditer(text) if match.lastgroup != "comment")
    return next(islice(tokens, MAX_QUERY_TOKENS, None), None) is not None


def _too_many_tokens() -> LimitExceeded:
    return LimitExceeded(
        f"The document has more than {MAX_QUERY_TOKENS:,} tokens. Send values as variables, or split it.",
        code="TOO_MANY_TOKENS",
        limit=MAX_QUERY_TOKENS,
    )


def _explain(error: GraphQLSyntaxError) -> GraphQLError:
    # The parser enforces these two limits itself and tells them from other syntax errors only by its text.
    if "tokens" in error.message and "Parsing aborted" in error.message:
        limit = _too_many_tokens()
    elif "nested too deeply" in error.message:
        limit = LimitExceeded(
            f"The document nests too deeply; at most {MAX_QUERY_DEPTH:,} fields are allowed.",
            code="QUERY_TOO_DEEP",
            limit=MAX_QUERY_DEPTH,
        )
    else:
        return error
    return GraphQLError(limit.message, source=error.source, positions=error.positions, original_error=limit)
