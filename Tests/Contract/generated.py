#!/usr/bin/env python3
"""Makes clients from docs/openapi.yaml with two generators, and does a round trip with one of them.

    generated.py DOCUMENT FOLDER URL CODE      FOLDER: an empty one; URL, CODE: a hub and an enrolment code of store S1

Exits 0 when both generators accepted the document without a warning, and the client enrolled, pushed a mutation once, and read every
response, success and failure, as a type of its own.
"""
import base64
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

PROGRAMS = pathlib.Path(sys.executable).parent


def generate(document, folder):
    path = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
    client = subprocess.run(
        [PROGRAMS / "openapi-python-client", "generate", "--path", document, "--output-path", folder / "hub", "--meta", "none", "--fail-on-warning"],
        capture_output=True, text=True, env=path)
    assert client.returncode == 0, f"openapi-python-client: {client.stdout}{client.stderr}"
    models = subprocess.run(
        [PROGRAMS / "datamodel-codegen", "--input", document, "--input-file-type", "openapi", "--output", folder / "models.py",
         "--output-model-type", "pydantic_v2.BaseModel"],
        capture_output=True, text=True, env=path)
    assert models.returncode == 0, f"datamodel-codegen: {models.stderr}"
    compile((folder / "models.py").read_text(), "models.py", "exec")


def mutation(grant, model, note):
    """A note, with the hash that the contract requires: SHA-256 of the canonical form without it."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    document = {
        "id": "01M0000000000000000000000A", "sequence": 1, "type": "note.upserted", "entity": "note", "entityId": note, "schema": 1,
        "clientGeneratedAt": now, "previousHash": "0" * 64, "dependsOn": [], "attachments": [],
        "payload": {"text": "wet floor", "baseVersion": 0},
    }
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return model.from_dict(document | {"hash": hashlib.sha256(canonical.encode()).hexdigest()})


def prove(request, key):
    """Signs an enrolment by the key that it brings."""
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    digest = hashlib.sha256(request.content).hexdigest()
    signed = key.with_suffix(".signed")
    signed.write_text("\n".join([request.method, request.url.path, date, digest, request.url.host]))
    made = subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", signed], check=True, capture_output=True)
    request.headers["Pos-Date"] = date
    request.headers["Pos-Signature"] = base64.b64encode(made.stdout).decode()


def round_trip(folder, url, code):
    from hub import AuthenticatedClient, Client
    from hub.api.enrolment import enrol
    from hub.api.people import show_member
    from hub.api.pull import pull_changes
    from hub.api.push import push_mutation
    from hub.models import Applied, ChangePage, Duplicate, EnrolmentGrant, EnrolmentRequest, Mutation

    key = folder / "device.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
    # The signature covers the body as it is sent.
    open_client = Client(base_url=url, httpx_args={"event_hooks": {"request": [lambda request: prove(request, key)]}})
    public = subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout
    request = EnrolmentRequest(enrolment_code=code, name="generated", public_key=base64.b64encode(public[-32:]).decode())
    grant = enrol.sync(client=open_client, body=request, pos_date="", pos_signature="")
    assert isinstance(grant, EnrolmentGrant) and grant.store_id == "S1", grant
    refused = enrol.sync(client=open_client, body=request, pos_date="", pos_signature="")
    assert refused.code == "enrolment_refused" and refused.status == 401, refused

    client = AuthenticatedClient(base_url=url, token=grant.token)
    note = mutation(grant, Mutation, "01M0000000000000000000000B")
    key = f'"{note.id}"'
    first = push_mutation.sync(client=client, body=note, idempotency_key=key)
    assert isinstance(first, Applied), first
    again = push_mutation.sync(client=client, body=note, idempotency_key=key)
    assert isinstance(again, Duplicate) and again.result.outcome == first.outcome, again
    wrong = push_mutation.sync(client=client, body=note, idempotency_key='"01M0000000000000000000000C"')
    assert wrong.status in (400, 422), wrong

    changes = pull_changes.sync(client=client)
    assert isinstance(changes, ChangePage) and any(change.entity_id == note.entity_id for change in changes.changes), changes
    nobody = show_member.sync("nobody", client=client)
    assert nobody.code == "not_found" and nobody.status == 404, nobody


def main():
    document, folder, url, code = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    generate(document, folder)
    sys.path.insert(0, str(folder))
    round_trip(folder, url, code)
    print("two generators, and a round trip")


if __name__ == "__main__":
    main()
