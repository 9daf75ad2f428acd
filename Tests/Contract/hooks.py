"""Rules of a valid request that a schema cannot describe."""
import schemathesis

SHORTEST_BOUND = 128
"""The bound of names, in bytes: the least one that the hub has for a text (`TextBound.name`)."""


def fits(value):
    """Whether no text of a document, names of members among them, is longer than the least bound.

    The hub counts bytes and bounds members that it does not know, too; a schema counts characters of those that it
    describes. Texts at the bounds are the coverage phase's, which describes them in ASCII.
    """
    if isinstance(value, str):
        return len(value.encode(errors="replace")) <= SHORTEST_BOUND
    if isinstance(value, list):
        return all(map(fits, value))
    if isinstance(value, dict):
        return all(fits(name) and fits(member) for name, member in value.items())
    return True


@schemathesis.hook
def filter_body(context, body):
    return fits(body)


@schemathesis.hook
def map_case(context, case):
    """The idempotency key of a push is the id of the mutation."""
    if case.operation.definition.raw.get("operationId") != "pushMutation":
        return case
    key = case.body.get("id") if isinstance(case.body, dict) else None
    if isinstance(key, str) and case.headers is not None and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = f'"{key}"' if key.isascii() and key.isalnum() else "none"
    return case
