#!/usr/bin/env python3
"""A day's work of a back office with a client that was generated from docs/openapi.yaml.

    generated-day.py URL TOKEN CATALOGUE.csv     TOKEN: of an operator with the role integrator

Puts the articles, reads the journal page by page, sums it up, and compares the sum with the hub's own figures.
"""
import io
import sys

from holdfast_hub import AuthenticatedClient
from holdfast_hub.api.office import import_list, read_journal, show_order, sum_sales
from holdfast_hub.models import ImportListKind, JournalDocumentType, JournalPage, JournalSale, Order
from holdfast_hub.types import File


def articles(client, path):
    with open(path, "rb") as file:
        done = import_list.sync(ImportListKind.PRODUCTS, client=client, body=File(payload=io.BytesIO(file.read())))
    print(f"articles: {done.imported} in the file, {done.new} new, {done.changed} changed")


def documents(client):
    """Every document of the journal; a program keeps the last cursor and begins there the next time."""
    cursor, more = "", True
    while more:
        page = read_journal.sync(client=client, after=cursor)
        if not isinstance(page, JournalPage):
            sys.exit(f"the hub refused: {page.detail}")
        yield from page.documents
        cursor, more = page.cursor, page.has_more


def main():
    url, token, catalogue = sys.argv[1:]
    client = AuthenticatedClient(base_url=url, token=token)
    articles(client, catalogue)
    net, seen = 0, set()
    for entry in documents(client):
        if isinstance(entry.document, JournalSale):
            back = entry.type_ is not JournalDocumentType.ORDER
            net += -entry.document.total if back else entry.document.total
            print(f"{entry.type_} {entry.order_number}: {entry.document.total} {entry.currency}, {len(entry.document.lines)} lines")
            seen.add(entry.order_id)
    for order_id in sorted(seen):
        order = show_order.sync(order_id, client=client)
        if not isinstance(order, Order):
            sys.exit(f"the hub refused: {order.detail}")
        print(f"order {order.order_number}: {order.state}, {', '.join(payment.method for payment in order.payments)}")
    figures = sum_sales.sync(client=client)
    total = sum(row.net for row in figures.rows)
    print(f"net by the journal {net}, by the hub {total}")
    sys.exit(0 if net == total else 1)


if __name__ == "__main__":
    main()
