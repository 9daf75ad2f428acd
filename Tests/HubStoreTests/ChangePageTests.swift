import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Pages of the change feed")
struct ChangePageTests {
    /// The rows of each page of the whole feed of the members.
    private func pages(_ store: TemporaryStore, limit: Int = 500) async throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: ChangeCursor?
        repeat {
            let page = try #require(
                try await store.ledger.changes(after: cursor, limit: limit, storeId: "S1"))
            pages.append(page.changes.map(\.entityId))
            cursor = page.hasMore ? page.cursor : nil
        } while cursor != nil && pages.count < 50
        return pages
    }

    /// Imports members whose rows count with so many bytes each: as large as an older hub let them become.
    private func rows(_ sizes: [Int64], in store: TemporaryStore) async throws {
        let empty: JSONValue = ["a": "", "points": 0]
        let rest = Int64(empty.canonicalBytes.count + "r0".utf8.count) + PageLimit.rowOverhead
        let members = sizes.enumerated().map { number, size in
            let text = String(repeating: "a", count: Int(size - rest))
            return MemberEntry(id: "r\(number)", profile: ["a": .string(text)], openingPoints: 0)
        }
        _ = try await store.ledger.importEntities(members, at: 1)
    }

    @Test("A page ends at 2 MiB, not one byte later, and holds at least one row", arguments: StoreKind.all)
    func bytes(_ kind: StoreKind) async throws {
        let half = PageLimit.bytes / 2
        for (sizes, expected) in [
            ([half, half, 1_000], [["r0", "r1"], ["r2"]]),
            ([half, half + 1, 1_000], [["r0"], ["r1", "r2"]]),
            ([1_000, 4 * half, 1_000], [["r0"], ["r1"], ["r2"]]), ([4 * half], [["r0"]]),
        ] as [([Int64], [[String]])] {
            let store = try TemporaryStore(kind)
            try await rows(sizes, in: store)
            #expect(try await pages(store) == expected, "\(sizes)")
        }
    }

    @Test(
        "A page ends at its number of rows, too, and an empty feed has one empty page",
        arguments: StoreKind.all)
    func rows(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        #expect(try await pages(store) == [[]])
        try await rows([1_000, 1_000, 1_000], in: store)
        #expect(try await pages(store, limit: 2) == [["r0", "r1"], ["r2"]])
        #expect(try await pages(store, limit: 3) == [["r0", "r1", "r2"]])
    }
}
