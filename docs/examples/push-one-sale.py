#!/usr/bin/env python3
"""Enrols as a terminal of its own and pushes one sale; Python's standard library and `openssl` are all it needs.

    push-one-sale.py URL CODE     URL: the hub; CODE: from `pos-hub enrol-code --store-id S1`
    push-one-sale.py --vector     prints a document, its canonical form and its hash; no hub is asked
"""
import base64
import datetime
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid(now):
    """48 bits of milliseconds and 80 random bits in Crockford's base 32."""
    value = (int(now.timestamp() * 1000) << 80) | int.from_bytes(os.urandom(10), "big")
    return "".join(ALPHABET[(value >> (5 * place)) & 31] for place in reversed(range(26)))


def canonical(document):
    """RFC 8785 for what a sale holds: texts, integers, lists, null; no fractions."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def with_hash(mutation):
    """`hash` is SHA-256 over the canonical form of everything else."""
    return mutation | {"hash": hashlib.sha256(canonical(mutation).encode()).hexdigest()}


def sale(store, number, now, identifier, order):
    """Two packets of tea for 9.00; the price holds 7 % tax: 900 × 700 ÷ 10700 = 59."""
    day = now.strftime("%Y-%m-%d")
    return {
        "id": identifier, "sequence": 1, "type": "order.completed", "entity": "order", "entityId": order, "schema": 1,
        "clientGeneratedAt": now.strftime("%Y-%m-%dT%H:%M:%S.000Z"), "previousHash": "0" * 64, "dependsOn": [], "attachments": [],
        "payload": {
            "orderId": order, "orderNumber": f"{store}-{number}-{day.replace('-', '')}-0001", "mode": "online", "businessDay": day,
            "timeZone": "UTC", "cashierId": None, "memberId": None, "currency": "EUR", "taxIncluded": True, "coupons": [],
            "lines": [{
                "sku": "tea-green", "barcode": "4006381333931", "name": "Green tea 100 g", "quantityMilli": 2000, "unitPrice": 450,
                "discount": 0, "total": 900, "taxBasisPoints": 700,
            }],
            "payments": [{"method": "cash", "amount": 900}], "total": 900, "tax": 59, "cashRounding": 0, "change": 0,
        },
    }


def device_key(folder):
    """A fresh Ed25519 key in a file, and its public half. A real terminal keeps it for renewals."""
    path = os.path.join(folder, "device.pem")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True, capture_output=True)
    public = subprocess.run(["openssl", "pkey", "-in", path, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout
    return path, base64.b64encode(public[-32:]).decode()


def signature(key, data):
    """Ed25519 over the bytes, in base64; openssl reads them from a file."""
    path = key + ".signed"
    with open(path, "wb") as file:
        file.write(data)
    made = subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", path], check=True, capture_output=True)
    return base64.b64encode(made.stdout).decode()


def enrol(url, code, now):
    """The request proves the key: it is signed over method, path, date, the body's digest and the hub's host."""
    with tempfile.TemporaryDirectory() as folder:
        key, public = device_key(folder)
        body = {"enrolmentCode": code, "name": "push-one-sale", "publicKey": public}
        date = now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        host = urllib.parse.urlsplit(url).hostname
        digest = hashlib.sha256(canonical(body).encode()).hexdigest()
        signed = "\n".join(["POST", "/v1/terminals", date, digest, host])
        headers = {"Pos-Date": date, "Pos-Host": host, "Pos-Signature": signature(key, signed.encode())}
        return post(url + "/v1/terminals", body, headers)


def post(url, document, headers):
    request = urllib.request.Request(
        url, data=canonical(document).encode(), headers={"Content-Type": "application/json", "Pos-Schema": "1", **headers})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def main():
    if sys.argv[1:] == ["--vector"]:
        now = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
        document = sale("S1", 1, now, "01KDYS0A880000000000000001", "01KDYS0A880000000000000002")
        print(canonical(document))
        print(with_hash(document)["hash"])
        return
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    url, code = sys.argv[1].rstrip("/"), sys.argv[2]
    now = datetime.datetime.now(datetime.timezone.utc)
    status, grant = enrol(url, code, now)
    if status != 201:
        sys.exit(f"not enrolled: {status} {grant['code']}: {grant['detail']}")
    print(f"enrolled as terminal {grant['terminalNumber']} of store {grant['storeId']}")
    mutation = with_hash(sale(grant["storeId"], grant["terminalNumber"], now, ulid(now), ulid(now)))
    headers = {"Authorization": "Bearer " + grant["token"], "Idempotency-Key": f'"{mutation["id"]}"'}
    for attempt in ("first", "second"):
        status, answer = post(url + "/v1/mutations", mutation, headers)
        print(f"{attempt} push: {status} {canonical(answer)[:200]}")


if __name__ == "__main__":
    main()
