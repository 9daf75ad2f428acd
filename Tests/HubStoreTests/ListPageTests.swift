import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Pages of the lists")
struct ListPageTests {
    /// Sales whose documents have about so many bytes each.
    private func sell(_ sizes: [Int], in store: TemporaryStore) async throws {
        var till = Till()
        for size in sizes {
            let sale = till.sale()
            let mutation = till.paid(
                sale,
                by: [
                    ["method": "cash", "amount": 1250, "note": .string(String(repeating: "a", count: size))]
                ])
            let results = try #require(try await store.take(till.push([mutation]))).results
            let flags = results.first?.json["flags"]?.array ?? []
            #expect(results.map(\.outcome) == [.applied])
            #expect(flags.contains("text_too_long") == (size > TextBound.remark), "\(flags)")
        }
    }

    @Test(
        "A list ends at 2 MiB as a page of the feed does, goes on behind it, and holds at least one row",
        arguments: StoreKind.all)
    func bytes(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        try await sell([700_000, 700_000, 700_000, 10, 10], in: store)
        var (place, pages): ([String], [Int]) = ([], [])
        while pages.count < 9 {
            let wanted = BackOfficeQuery.Page(SalesFilter(), after: place, limit: 101)
            let page = try await store.ledger.page(
                of: BackOfficeQuery.orders(wanted, forExport: true), rows: 100)
            pages.append(page.rows.count)
            #expect(page.rows.reduce(0) { $0 + ($1.text("document") ?? "").utf8.count } <= PageLimit.bytes)
            guard page.hasMore, let last = page.rows.last else { break }
            place = ["day", "mutation_id"].map { last.text($0) ?? "" }
        }
        #expect(pages.reduce(0, +) == 5 && pages.count == 2, "\(pages)")
        let few = BackOfficeQuery.Page(SalesFilter(), after: [], limit: 3)
        let page = try await store.ledger.page(of: BackOfficeQuery.orders(few), rows: 2)
        #expect(page.rows.count == 2 && page.hasMore)
    }
}
