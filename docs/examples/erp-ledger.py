#!/usr/bin/env python3
"""Connects an ERP: articles and stock in, the journal feed out into double-entry lines. Python's standard library is all it needs.

    erp-ledger.py import KIND FILE   sends a CSV of the master data; KIND: products, stocks, prices, ...
    erp-ledger.py read               books what is new in the journal feed since the last time
    erp-ledger.py archived FILE ...  books what is in archives and not in the feed any more; FILE: pos-hub archive show ARCHIVE --documents
    erp-ledger.py balances           the balance of every account
    erp-ledger.py lines [TYPE]       the lines of all documents, or of those of one type
    erp-ledger.py people             what is put aside for a person
    erp-ledger.py check              compares the ledger with itself and with the hub's own figures; ends with 1 on a difference

ERP_HUB: the hub's address; ERP_TOKEN_FILE: a file with an integrator's token; ERP_LEDGER: the ledger, an SQLite file.
Amounts are minor units. A line has one amount, as debit or as credit; the lines of a document come to the same on both sides.
"""
import collections
import json
import os
import sqlite3
import sys
import urllib.error
import urllib.parse
import urllib.request

# Each page is booked in one transaction with the cursor behind it. So nothing is booked twice or left out, wherever this
# program is killed, and `page` names what has to be taken back after a restore of the hub.
TABLES = """
CREATE TABLE IF NOT EXISTS place (cursor TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY, page INTEGER NOT NULL, type TEXT NOT NULL, terminal TEXT NOT NULL, id TEXT NOT NULL,
    store TEXT, shift TEXT, day TEXT, currency TEXT, aside TEXT, text TEXT NOT NULL, UNIQUE (type, terminal, id));
CREATE TABLE IF NOT EXISTS lines (
    document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, date TEXT NOT NULL, account TEXT NOT NULL, part TEXT NOT NULL,
    debit INTEGER NOT NULL, credit INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS linesOfDocuments ON lines (document);
"""
# Where a payment lies until somebody collects it. A voucher was sold before: to take it makes a liability smaller.
TENDERS = {"cash": "cash", "card": "card receivable", "wallet": "wallet receivable", "voucher": "voucher liability", "debt": "debts"}
SALES = ("order", "void", "refund")
OF_SALES = "type IN ('order', 'void', 'refund')"
# What counts in a shift: discarded entries, too, which are documents of the type `flag`.
OF_SHIFTS = "type IN ('order', 'void', 'refund', 'flag')"
# What a terminal says of a void whose sale the hub does not have: cash of the shift, and in no figure of sales.
NO_SALE = "void of an unknown sale"
OF_TENDERS = "account IN ('cash', 'card receivable', 'wallet receivable', 'voucher liability', 'debts', 'tender unknown')"


class Entry:
    """The lines of one document. `debit` of a negative amount is a credit, so that a sale and its way back are the same code."""

    def __init__(self, text):
        self.lines, self.text = [], text

    def debit(self, account, amount, part=""):
        if amount:
            self.lines.append((account, part, max(amount, 0), max(-amount, 0), self.text))

    def credit(self, account, amount, part=""):
        self.debit(account, -amount, part)


def book_sale(entry, kind, sale):
    """A sale; a void and a refund are the same with the other sign. `part` is the rate of a tax or the tender."""
    sign = 1 if kind == "order" else -1
    if "statedTotal" in sale:
        entry.debit("suspense", sale["statedTotal"])
        entry.credit("cash", sale["statedTotal"], NO_SALE)
        return "order_unknown"
    if "amounts_differ" in sale["flags"]:
        # Its parts explain nothing: the total alone counts until a person has looked at it.
        entry.debit("suspense", sign * sale["total"])
        entry.credit("revenue unexplained", sign * sale["total"])
        return "amounts_differ"
    for tax in sale["taxes"]:
        rate = f"{tax['basisPoints'] / 100:g} %"
        entry.credit("revenue", sign * (tax["gross"] - tax["tax"]), rate)
        entry.credit("tax", sign * tax["tax"], rate)
    for payment in sale["payments"]:
        account = TENDERS.get(payment.get("kind"), "tender unknown")
        # The hub counts every tender of the kind cash as `cash`: all of it is in one drawer.
        entry.debit(account, sign * payment["amount"], "cash" if account == "cash" else payment["method"])
    entry.credit("cash", sign * sale["change"], "cash")
    entry.credit("cash rounding", sign * sale["cashRounding"], "cash")
    # Points are within the lines' discounts: revenue is without them. These two show what they cost, and come to 0.
    points = sum(line.get("pointsValue") or 0 for line in sale["lines"])
    entry.debit("points redeemed", sign * points)
    entry.credit("revenue paid by points", sign * points)
    return None


def book_discarded(entry, flag):
    """An entry that the hub refused and a person gave up: no figure of sales has it, but the drawer and the shift's paper do."""
    sale = flag.get("stated")
    if sale is None:
        if "statedCash" in flag:
            book_cash(entry, flag["statedCash"])
        return
    if "statedTotal" in sale:
        book_sale(entry, flag["statedType"], sale)
        return
    sign = 1 if flag["statedType"] == "order" else -1
    for payment in sale["payments"]:
        account = TENDERS.get(payment.get("kind"), "tender unknown")
        entry.debit(account, sign * payment["amount"], "cash" if account == "cash" else payment["method"])
    entry.credit("cash", sign * sale["change"], "cash")
    entry.credit("suspense", sign * (sum(payment["amount"] for payment in sale["payments"]) - sale["change"]))


def book_cash(entry, move):
    amount = move["amount"]
    if move["kind"] == "float":
        entry.debit("cash", amount)
        entry.credit("safe", amount)
    elif move["kind"] in ("drop", "out", "in"):
        other = "safe" if move["kind"] == "drop" else "petty cash"
        sign = 1 if move["kind"] == "in" else -1
        entry.debit("cash", sign * amount)
        entry.credit(other, sign * amount)


def book_shift(entry, closing):
    """The drawer is counted and goes to the safe: `cash` of a closed shift is 0, as soon as all of its sales are here."""
    cash = closing["cash"]
    entry.debit("safe", cash["counted"])
    entry.credit("cash difference", cash["difference"])
    entry.credit("cash", cash["expected"], "counted")


def book(document):
    """The lines of a document, and why a person has to look at it or None."""
    kind, content = document["type"], document["document"]
    entry = Entry(" ".join(filter(None, [kind, document.get("orderNumber"), content.get("reason")])))
    aside = None
    if kind in SALES:
        aside = book_sale(entry, kind, content)
    elif kind == "cash":
        book_cash(entry, content)
    elif kind == "shift":
        book_shift(entry, content)
    elif kind == "debt":
        # The goods are gone and the card brought no money: from now on the customer owes it.
        entry.debit("debts", content["amount"], document["id"])
        entry.credit("card receivable", content["amount"], "refused")
    elif kind == "debtSettled" and content["by"] in ("paid", "writtenOff"):
        # What a void or a refund settles is in that document, as a payment of the kind `debt`.
        entry.debit("debts paid" if content["by"] == "paid" else "debts written off", content["amount"])
        entry.credit("debts", content["amount"], content["debtId"])
    elif kind == "flag" and content["set"]:
        book_discarded(entry, content)
        aside = f"{content['flag']} of {content['subject']}"
    return entry.lines, aside


class Hub:
    def __init__(self):
        self.address = os.environ.get("ERP_HUB", "http://127.0.0.1:8080").rstrip("/")
        with open(os.environ.get("ERP_TOKEN_FILE", "erp.token"), encoding="ascii") as file:
            self.token = file.read().strip()

    def call(self, path, query=None, body=None):
        """Returns the status and the document; refusals have one as well."""
        named = {name: value for name, value in (query or {}).items() if value is not None}
        url = f"{self.address}{path}" + ("?" + urllib.parse.urlencode(named) if named else "")
        headers = {"Authorization": "Bearer " + self.token}
        if body is not None:
            headers["Content-Type"] = "text/csv"
        request = urllib.request.Request(url, data=body, headers=headers, method="GET" if body is None else "PUT")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def get(self, path, **query):
        status, document = self.call(path, query)
        if status != 200:
            sys.exit(f"{path}: {status} {document.get('code')}: {document.get('detail')}")
        return document

    def all(self, path, member, **query):
        """All pages of a list."""
        found, cursor = [], None
        while True:
            page = self.get(path, cursor=cursor, **query)
            found += page[member]
            cursor = page["cursor"]
            if cursor is None:
                return found


def open_ledger():
    ledger = sqlite3.connect(os.environ.get("ERP_LEDGER", "ledger.sqlite"), isolation_level=None)
    ledger.execute("PRAGMA foreign_keys = ON")
    ledger.executescript(TABLES)
    return ledger


def keep(ledger, cursor):
    ledger.execute("DELETE FROM place")
    ledger.execute("INSERT INTO place VALUES (?)", (cursor,))


def book_page(ledger, page):
    number = int(page["cursor"].rsplit(".", 1)[1])
    ledger.execute("BEGIN IMMEDIATE")
    for document in page["documents"]:
        name = (document["type"], document.get("terminalId") or "", document["id"])
        if ledger.execute("SELECT 1 FROM documents WHERE (type, terminal, id) = (?,?,?)", name).fetchone():
            continue
        lines, aside = book(document)
        place = ledger.execute(
            "INSERT INTO documents (page, type, terminal, id, store, shift, day, currency, aside, text) VALUES (?,?,?,?,?,?,?,?,?,?)",
            (number, *name, document.get("storeId"), document.get("shiftId"), document.get("businessDay"), document.get("currency"),
             aside, json.dumps(document))).lastrowid
        date = document.get("businessDay") or document["receivedAt"][:10]
        ledger.executemany("INSERT INTO lines VALUES (?,?,?,?,?,?,?)", [(place, date, *line) for line in lines])
    keep(ledger, page["cursor"])
    ledger.execute("COMMIT")


def take_back(ledger, refusal):
    """The hub was restored: what this ledger has behind `sameThrough` did not happen in the hub's new life, or comes again.

    Documents have no number of their own, pages have: those that end behind it are taken back whole, and read again.
    """
    ledger.execute("BEGIN IMMEDIATE")
    gone = ledger.execute("DELETE FROM documents WHERE page > ?", (refusal["sameThrough"],)).rowcount
    last = ledger.execute("SELECT coalesce(max(page), 0) FROM documents").fetchone()[0]
    keep(ledger, f"{refusal['journal']}.{last}")
    ledger.execute("COMMIT")
    print(f"the hub was restored: took {gone} documents back, reads on after {last}")


def read(ledger, hub):
    booked, more = collections.Counter(), True
    while more:
        cursor = ledger.execute("SELECT cursor FROM place").fetchone()
        status, page = hub.call("/v1/journal", {"after": cursor and cursor[0]})
        if status == 410 and page["code"] == "cursor_expired":
            take_back(ledger, page)
            continue
        if status != 200:
            sys.exit(f"/v1/journal: {status} {page.get('code')}: {page.get('detail')}")
        book_page(ledger, page)
        booked.update(document["type"] for document in page["documents"])
        more = page["hasMore"]
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(booked.items()))
    print(f"booked {sum(booked.values())} documents" + (f": {kinds}" if kinds else ""))


def read_archived(ledger, hub, files):
    """Days that went into an archive are not in the feed. Whoever read it to its end before has them; a new ledger gets them here."""
    cursor = ledger.execute("SELECT cursor FROM place").fetchone()
    status, refusal = hub.call("/v1/journal", {"after": cursor and cursor[0]})
    if refusal.get("code") != "archived":
        sys.exit("nothing that this ledger lacks is in an archive: use read")
    documents = []
    for file in files:
        with open(file, encoding="utf-8") as lines:
            documents += [json.loads(line) for line in lines]
    book_page(ledger, {"documents": documents, "cursor": refusal["cursor"]})
    print(f"read {len(documents)} documents of archives, goes on after {refusal['cursor']}")


def sums(ledger, what, where="1"):
    """Debit less credit, by columns of lines and documents."""
    return {tuple(row[:-1]): row[-1] for row in ledger.execute(
        f"SELECT {what}, sum(debit) - sum(credit) FROM lines JOIN documents ON number = document WHERE {where} GROUP BY {what}")}


class Differences:
    def __init__(self):
        self.compared, self.found = 0, 0

    def compare(self, what, ledger, hub):
        self.compared += 1
        if ledger != hub:
            self.found += 1
            print(f"DIFFERENT {what}: ledger {ledger}, hub {hub}")


def check_balance(ledger, differences):
    for number, debit, credit in ledger.execute("SELECT document, sum(debit), sum(credit) FROM lines GROUP BY document"):
        differences.compare(f"debit and credit of document {number}", debit, credit)


def check_days(ledger, hub, differences):
    """Net and tax of each day, and the net of each of its tenders: what was paid less change and rounding."""
    net = sums(ledger, "day, currency", f"{OF_SALES} AND (account LIKE 'revenue%' OR account IN ('tax', 'points redeemed'))")
    tax = sums(ledger, "day, currency", f"{OF_SALES} AND account = 'tax'")
    paid = sums(ledger, "day, currency, part", f"{OF_SALES} AND ({OF_TENDERS} OR account = 'cash rounding') AND part <> '{NO_SALE}'")
    put_aside = sums(ledger, "day, currency", "aside = 'amounts_differ'")
    rows = {(row["key"]["day"], row["currency"]): row for row in hub.get("/v1/sales", by="day")["rows"]}
    for key in sorted(rows.keys() | net.keys()):
        row = rows.get(key, {"net": 0, "tax": 0})
        differences.compare(f"net of {key}", -net.get(key, 0), row["net"])
        # The hub's tax has that of documents whose amounts differ; the ledger does not know whose it is.
        if key not in put_aside:
            differences.compare(f"tax of {key}", -tax.get(key, 0), row["tax"])
        tenders = {}
        for tender in hub.get("/v1/sales", by="tender", **{"from": key[0], "to": key[0]})["rows"]:
            if tender["currency"] == key[1] and tender["key"].get("method") is not None:
                tenders[(*key, tender["key"]["method"])] = tender["net"]
        for tender in sorted(tenders.keys() | {place for place in paid if place[:2] == key}):
            differences.compare(f"tender {tender}", paid.get(tender, 0), tenders.get(tender, 0))


def check_shifts(ledger, hub, differences):
    """What a closed shift's paper says against its documents; one that the hub still compares is left out."""
    counted = collections.defaultdict(lambda: [0, 0])
    for kind, terminal, shift, text in ledger.execute(f"SELECT type, terminal, shift, text FROM documents WHERE {OF_SHIFTS}"):
        content = json.loads(text)["document"]
        if kind == "flag":
            if "stated" not in content:
                continue
            kind, content = content["statedType"], content["stated"]
        count = counted[(terminal, shift, kind)]
        count[0] += 1
        count[1] += content.get("statedTotal", content["total"])
    cash = sums(ledger, "terminal, shift", "account = 'cash' AND type <> 'shift'")
    tenders = sums(ledger, "terminal, shift, part", f"{OF_SHIFTS} AND {OF_TENDERS}")
    for shift in hub.all("/v1/shifts", "shifts"):
        if shift["state"] != "confirmed":
            if shift["state"] == "disputed":
                print(f"a person has to look: shift {shift['shiftId']} of {shift['businessDay']} is disputed")
            continue
        key = (shift["terminalId"], shift["shiftId"])
        for kind, figure in (("order", "sales"), ("refund", "refunds"), ("void", "voids")):
            differences.compare(
                f"{figure} of shift {key[1]}", counted[(*key, kind)], [shift[figure]["count"], shift[figure]["total"]])
        differences.compare(f"cash of shift {key[1]}", cash.get(key, 0), shift["cash"]["expected"])
        ours = collections.Counter()
        for (terminal, named, part), amount in tenders.items():
            if (terminal, named) == key:
                ours["cash" if part == NO_SALE else part] += amount
        for method in sorted(ours.keys() | {tender["method"] for tender in shift["tenders"]}):
            theirs = sum(tender["amount"] for tender in shift["tenders"] if tender["method"] == method)
            differences.compare(f"{method} of shift {key[1]}", ours[method], theirs)


def check_debts(ledger, hub, differences):
    owed = sums(ledger, "currency", "account = 'debts'")
    theirs = collections.Counter()
    for debt in hub.all("/v1/debts", "debts", state="open"):
        theirs[(debt["currency"],)] += debt["amount"]
    for key in sorted(owed.keys() | theirs.keys(), key=str):
        differences.compare(f"open debts in {key[0]}", owed.get(key, 0), theirs[key])


def check(ledger, hub):
    differences = Differences()
    check_balance(ledger, differences)
    check_days(ledger, hub, differences)
    check_shifts(ledger, hub, differences)
    check_debts(ledger, hub, differences)
    aside = ledger.execute("SELECT count(*) FROM documents WHERE aside IS NOT NULL").fetchone()[0]
    print(f"{differences.compared} figures compared, {differences.found} differ, {aside} documents for a person")
    return 1 if differences.found else 0


def show_balances(ledger):
    rows = ledger.execute(
        "SELECT account, CASE WHEN account IN ('revenue', 'tax') THEN part ELSE '' END AS rate, currency, sum(debit), sum(credit) "
        "FROM lines JOIN documents ON number = document GROUP BY account, rate, currency ORDER BY account, rate").fetchall()
    print(f"{'account':24} {'debit':>10} {'credit':>10}")
    for account, rate, currency, debit, credit in rows:
        balance = debit - credit
        print(f"{(account + ' ' + rate).strip():24} {max(balance, 0):10} {max(-balance, 0):10} {currency}")
    balances = [debit - credit for _, _, _, debit, credit in rows]
    print(f"{'':24} {sum(b for b in balances if b > 0):10} {-sum(b for b in balances if b < 0):10}")


def show_lines(ledger, kind):
    for date, account, part, debit, credit, text, type_, terminal, id_ in ledger.execute(
            "SELECT date, account, part, debit, credit, lines.text, type, terminal, id FROM lines JOIN documents ON number = document "
            "WHERE ? IS NULL OR type = ? ORDER BY lines.rowid", (kind, kind)):
        print(f"{date}  {(account + ' ' + part).strip():28} {debit:8} {credit:8}  {text}  {type_}/{terminal}/{id_}")


def main():
    what, rest = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    if what == "import" and len(rest) == 2:
        with open(rest[1], "rb") as file:
            status, answer = Hub().call(f"/v1/imports/{rest[0]}", body=file.read())
        print(json.dumps(answer))
        sys.exit(0 if status == 200 else 1)
    if what not in ("read", "archived", "check", "balances", "lines", "people"):
        sys.exit(__doc__)
    ledger = open_ledger()
    if what == "read":
        read(ledger, Hub())
    elif what == "archived":
        read_archived(ledger, Hub(), rest)
    elif what == "check":
        sys.exit(check(ledger, Hub()))
    elif what == "balances":
        show_balances(ledger)
    elif what == "lines":
        show_lines(ledger, rest[0] if rest else None)
    else:
        for kind, id_, why, text in ledger.execute("SELECT type, id, aside, text FROM documents WHERE aside IS NOT NULL"):
            print(f"{kind} {json.loads(text).get('orderNumber') or ''} {id_}: {why}")


if __name__ == "__main__":
    main()
