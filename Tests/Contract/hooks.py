"""Rules of a valid request that a schema cannot describe."""
import schemathesis


@schemathesis.hook
def map_case(context, case):
    """The idempotency key of a push is the id of the mutation."""
    if case.operation.definition.raw.get("operationId") != "pushMutation":
        return case
    key = case.body.get("id") if isinstance(case.body, dict) else None
    if isinstance(key, str) and case.headers is not None and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = f'"{key}"' if key.isascii() and key.isalnum() else "none"
    return case
