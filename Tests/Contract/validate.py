#!/usr/bin/env python3
"""Compares docs/openapi.yaml with the routes and the exchanges of a hub.

    validate.py DOCUMENT routes FILE      FILE: {"routes":[{"method","path"}]}, as the hub's local socket lists them
    validate.py DOCUMENT schemas            a schema has known keywords alone, and describes each member that it requires
    validate.py DOCUMENT examples           every JSON body of a request or a successful response has an example that fits its schema
    validate.py DOCUMENT texts              prints each text of a request's body: {"method","path","body","place","member","maxBytes"} a line
    validate.py DOCUMENT exchanges FILE   FILE: one {"method","target","status","requestBody","headers","body"} a line
    validate.py DOCUMENT members FILE     the same FILE: every member of a JSON response is described, and every operation has a good one

Prints each disagreement and exits 1; prints a count and exits 0 when there is none.
"""
import json
import sys
import urllib.parse

import jsonschema_rs
import yaml

# Of JSON Schema 2020-12 and OpenAPI 3.1, as far as the document uses them. Any other word is most often the
# rest of a description that a comma ended: YAML takes it for a member, and validators take it for an extension.
KEYWORDS = set(
    "$ref additionalProperties allOf anyOf const default dependentRequired deprecated description else enum "
    "example exclusiveMaximum exclusiveMinimum format if items maxItems maxLength maxProperties maximum minItems "
    "minLength minProperties minimum multipleOf not oneOf pattern prefixItems properties propertyNames required "
    "then title type uniqueItems x-maxBytes".split()
)

# The body is what a terminal sealed and signed, so that no day of the test's till has it: RelayRoutesTests.
UNPLAYED = {"POST /v1/journal/relayed"}

METHODS = ("get", "post", "put", "delete", "patch")


class Document:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.root = yaml.safe_load(file)
        self.validators = {}

    def routes(self):
        paths = self.root["paths"]
        return {(method.upper(), path) for path, item in paths.items() for method in item if method in METHODS}

    def resolved(self, node):
        while "$ref" in node:
            target = self.root
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def template(self, path):
        """The path of the document that matches the path of a request; exact ones first."""
        if path in self.root["paths"]:
            return path
        parts = path.split("/")
        for candidate in self.root["paths"]:
            names = candidate.split("/")
            if len(names) == len(parts) and all(n.startswith("{") or n == p for n, p in zip(names, parts)):
                return candidate
        return None

    def faults(self, schema, value):
        key = json.dumps(schema, sort_keys=True)
        if key not in self.validators:
            whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", "allOf": [schema]}
            whole["components"] = self.root["components"]
            self.validators[key] = jsonschema_rs.validator_for(whole)
        return [f"{'/'.join(map(str, e.instance_path))}: {e.message}" for e in self.validators[key].iter_errors(value)]


def compare_routes(document, path):
    with open(path, encoding="utf-8") as file:
        served = {(route["method"], route["path"]) for route in json.load(file)["routes"]}
    written = document.routes()
    faults = [f"{method} {path} is served and not in the document" for method, path in sorted(served - written)]
    faults += [f"{method} {path} is in the document and not served" for method, path in sorted(written - served)]
    return len(served), faults


def exchange_faults(document, exchange):
    path = urllib.parse.urlsplit(exchange["target"]).path
    template = document.template(path)
    operation = document.root["paths"].get(template, {}).get(exchange["method"].lower())
    if operation is None:
        return [f"no such operation: {path}"]
    status = exchange["status"]
    faults = []
    described = operation.get("requestBody", {})
    request = described.get("content", {}).get("application/json")
    is_absent = exchange["requestBody"] is None and not described.get("required")
    if status < 400 and request is not None and not is_absent:
        faults += [f"request {fault}" for fault in document.faults(request["schema"], exchange["requestBody"])]
    response = operation["responses"].get(str(status))
    if response is None:
        return faults + [f"status {status} is not in the document"]
    response = document.resolved(response)
    headers = exchange["headers"]
    for name, header in response.get("headers", {}).items():
        header, value = document.resolved(header), headers.get(name.lower())
        if value is None:
            faults += [f"the header {name} is missing"] if header.get("required") else []
        else:
            faults += [f"header {name} {fault}" for fault in document.faults(header["schema"], value)]
    content = response.get("content", {})
    kind = headers.get("content-type", "").split(";")[0]
    if not content:
        return faults + ([f"a body of {kind} is not in the document"] if exchange["body"] else [])
    if kind not in content:
        return faults + [f"the type {kind} is not in the document"]
    value = json.loads(exchange["body"]) if kind.endswith("json") else exchange["body"]
    return faults + document.faults(content[kind]["schema"], value)


def check_exchanges(document, path):
    count, faults = 0, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            exchange = json.loads(line)
            count += 1
            place = f"{exchange['method']} {exchange['target']} -> {exchange['status']}"
            faults += [f"{place}: {fault}" for fault in exchange_faults(document, exchange)]
    return count, faults


def undescribed(document, schema, value, place=""):
    """The members of a value that its schema does not name, where the schema names members at all."""
    parts = list(branches(document, schema, value))
    if isinstance(value, list):
        for index, element in enumerate(value):
            for part in (part["items"] for part in parts if "items" in part):
                yield from undescribed(document, part, element, f"{place}/{index}")
    if not isinstance(value, dict) or any("additionalProperties" in part for part in parts):
        return
    for name, inner in value.items():
        described = [part["properties"][name] for part in parts if name in part.get("properties", {})]
        if not described:
            yield f"{place}/{name} is not described"
        for part in described:
            yield from undescribed(document, part, inner, f"{place}/{name}")


def branches(document, schema, value):
    """A schema with all parts of it that hold for a value."""
    schema = document.resolved(schema)
    yield schema
    for part in schema.get("allOf", []):
        if "if" in part:
            part = part.get("then", {}) if not document.faults(part["if"], value) else part.get("else", {})
        yield from branches(document, part, value)
    for part in schema.get("anyOf", []) + schema.get("oneOf", []):
        if not document.faults(part, value):
            yield from branches(document, part, value)


def check_members(document, path):
    good, faults = set(), []
    with open(path, encoding="utf-8") as file:
        for line in file:
            exchange = json.loads(line)
            template = document.template(urllib.parse.urlsplit(exchange["target"]).path)
            operation = document.root["paths"].get(template, {}).get(exchange["method"].lower())
            response = operation and operation["responses"].get(str(exchange["status"]))
            if response is None:
                continue
            name = f"{exchange['method']} {template}"
            good |= {name} if exchange["status"] < 400 else set()
            for kind, content in document.resolved(response).get("content", {}).items():
                if kind == exchange["headers"].get("content-type", "").split(";")[0] and kind.endswith("json"):
                    body = json.loads(exchange["body"])
                    faults += [f"{name} {exchange['status']}: {fault}" for fault in undescribed(document, content["schema"], body)]
    for method, template in sorted(document.routes()):
        answers = document.root["paths"][template][method.lower()]["responses"]
        is_json = any("application/json" in document.resolved(answer).get("content", {}) for status, answer in answers.items() if status.startswith("2"))
        name = f"{method} {template}"
        if is_json and name not in good | UNPLAYED:
            faults.append(f"{name} has no good response here")
    return len(good), faults


def schema_faults(document, schema, place):
    """What is wrong in a schema and those within it; what it refers to has its own place."""
    if not isinstance(schema, dict):
        return
    for word in schema.keys() - KEYWORDS:
        yield f"{place}: {word!r} is no keyword of a schema; a description with a comma or colon stands in quotes"
    parts = [schema] + [document.resolved(part) for part in schema.get("allOf", [])]
    described = {name for part in parts for name in part.get("properties", {})}
    # A part of a whole, such as the branch of a condition, requires what the whole describes.
    if "properties" in schema:
        for name in schema.get("required", []):
            if name not in described and not place.endswith("/if"):
                yield f"{place}: the required member {name} is not described"
    for name, part in schema.get("properties", {}).items():
        yield from schema_faults(document, part, f"{place}/{name}")
    for word in ("items", "additionalProperties", "propertyNames", "not", "if", "then", "else"):
        yield from schema_faults(document, schema.get(word), f"{place}/{word}")
    for word in ("allOf", "anyOf", "oneOf", "prefixItems"):
        for number, part in enumerate(schema.get(word, [])):
            yield from schema_faults(document, part, f"{place}/{word}/{number}")


def check_schemas(document, _):
    """Every schema of the document, wherever it stands."""
    found = []

    def walk(node, place):
        for name, inner in node.items() if isinstance(node, dict) else enumerate(node):
            if place == "/components/schemas" or name == "schema":
                found.append((f"{place}/{name}", inner))
            elif name not in ("example", "examples") and isinstance(inner, (dict, list)):
                walk(inner, f"{place}/{name}")

    walk(document.root, "")
    return len(found), [fault for place, schema in found for fault in schema_faults(document, schema, place)]


def check_examples(document, _):
    count, faults = 0, []
    for path, item in document.root["paths"].items():
        for method in METHODS:
            operation = item.get(method)
            if operation is None:
                continue
            bodies = [("request", operation.get("requestBody", {}))]
            bodies += [(status, document.resolved(body)) for status, body in operation["responses"].items() if status.startswith("2")]
            for what, body in bodies:
                content = body.get("content", {}).get("application/json")
                if content is None:
                    continue
                count += 1
                place = f"{method.upper()} {path} {what}"
                examples = [content["example"]] if "example" in content else [e["value"] for e in content.get("examples", {}).values()]
                faults += [f"{place}: no example"] if not examples else []
                faults += [f"{place}: {fault}" for example in examples for fault in document.faults(content["schema"], example)]
    return count, faults


def is_text(schema):
    kinds = schema.get("type", [])
    return "string" in ([kinds] if isinstance(kinds, str) else kinds) and not {"enum", "const"} & schema.keys()


def texts(document, schema, value, place=(), member=None):
    """The places of the texts that a body of the schema has, or could have beside what `value` has."""
    schema = document.resolved(schema)
    if is_text(schema) and place:
        yield place, member, schema.get("x-maxBytes")
    for part in ("allOf", "anyOf", "oneOf"):
        for branch in schema.get(part, []):
            if "if" not in branch or not document.faults(branch["if"], value):
                yield from texts(document, branch.get("then", branch), value, place, member)
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            yield from texts(document, inner, value.get(name), place + (name,), name)
    if isinstance(value, list) and "items" in schema:
        for index, element in enumerate(value[:1] or [None]):
            yield from texts(document, schema["items"], element, place + (index,), member)


def print_texts(document):
    for path, item in document.root["paths"].items():
        for method in METHODS:
            content = item.get(method, {}).get("requestBody", {}).get("content", {}).get("application/json")
            if content is None:
                continue
            examples = [content["example"]] if "example" in content else [e["value"] for e in content.get("examples", {}).values()]
            for body in examples:
                for place, member, most in dict.fromkeys(texts(document, content["schema"], body)):
                    print(json.dumps({"method": method.upper(), "path": path, "body": body, "place": place, "member": member, "maxBytes": most}))


def main():
    path, what, file = (sys.argv[1:] + [None])[:3]
    if what == "texts":
        return print_texts(Document(path))
    check = {"routes": compare_routes, "exchanges": check_exchanges, "members": check_members, "examples": check_examples, "schemas": check_schemas}[what]
    count, faults = check(Document(path), file)
    print("\n".join(dict.fromkeys(faults)) if faults else f"{count} {what} agree")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
