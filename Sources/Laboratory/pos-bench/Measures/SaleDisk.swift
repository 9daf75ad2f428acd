import Base

internal import Foundation
internal import Glibc
internal import HubProtocol

/// The disk that a hub uses for a sale or refund of a kind, with everything that it keeps of it: journal
/// entry, document, rows, indexes, the response.
///
/// Each kind is pushed in batches as a till drains them; the figure is by how much the store grew, divided by
/// the entries. The first batches are not counted, since tables and indexes begin with pages of their own.
struct SaleDisk: RowMeasure {
    private static let (warmUps, pushes, batch) = (5, 50, 100)

    /// The hub's store.
    let store: LoopbackDrain.Store

    private static let kinds: [(name: String, entry: ScriptedTill.ShopEntry)] = [
        ("sale of one line, cash", .sale(lines: 1, isCard: false)),
        ("sale of two lines, cash", .sale(lines: 2, isCard: false)),
        ("sale of three lines, cash", .sale(lines: 3, isCard: false)),
        ("sale of five lines, cash", .sale(lines: 5, isCard: false)),
        ("sale of twenty lines, cash", .sale(lines: 20, isCard: false)),
        ("sale of one line, card", .sale(lines: 1, isCard: true)),
        // Behind its own sales: the last kind that was pushed has one line.
        ("refund of one line", .refund(ofSaleBefore: Int64(batch * pushes))),
    ]

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        switch store {
        case .sqlite:
            let shop = try Shop("disk", in: workshop, payments: "simulator:approve")
            let path = shop.folder + "/hub.sqlite"
            return try rows("SQLite", shop) { () throws(BenchFailure) in
                // With what is in the write-ahead log still, without what is free in the file.
                try RawSQLite.number(
                    "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
                        + "pragma_freelist_count, pragma_page_size", at: path)
            }
        case .postgresql:
            guard let url = getenv("HOLDFAST_POSTGRESQL").map({ String(cString: $0) }) else {
                throw .notHere("HOLDFAST_POSTGRESQL names no empty database; .ci/with-postgresql makes one")
            }
            let shop = try Shop(
                "disk-postgresql", in: workshop, store: url, payments: "simulator:approve")
            let connection = try RawPostgresConnection(url: url)
            return try rows("PostgreSQL", shop) { () throws(BenchFailure) in
                let size = try connection.query(
                    "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
                        + "AND relnamespace = current_schema()::regnamespace")
                return size.first?.first.flatMap { $0 }.flatMap { Int64($0) } ?? 0
            }
        }
    }

    private func rows(
        _ place: String, _ shop: Shop, size: () throws(BenchFailure) -> Int64
    ) throws(BenchFailure) -> [Row] {
        let till = try ScriptedTill(enrolledAt: shop.address, code: try shop.enrolmentCode())
        let connection = try HubConnection(shop.address)
        func push(_ entry: ScriptedTill.ShopEntry, times: Int) throws(BenchFailure) {
            for _ in 0..<times {
                if case .sale(let lines, true) = entry {
                    for request in till.authorizations(ofNext: Self.batch, lines: lines) {
                        try require(connection.query(request), 201)
                    }
                }
                try require(connection.query(till.push(Self.batch, of: entry)), 200)
            }
        }
        try push(Self.kinds[0].entry, times: Self.warmUps)
        var rows: [Row] = []
        for (name, entry) in Self.kinds {
            let before = try size()
            try push(entry, times: Self.pushes)
            let grown = try size() - before
            rows.append(
                Row(
                    name: "\(name), \(place)", figure: Double(grown) / Double(Self.pushes * Self.batch),
                    unit: .bytes))
        }
        return rows
    }

    private func require(_ response: HubConnection.Response, _ status: Int) throws(BenchFailure) {
        guard response.status == status else {
            throw .programFailed(
                name: "pos-hub",
                detail: "it responded \(response.status): \(String(decoding: response.body, as: UTF8.self))",
                lastErrors: "-")
        }
        guard let results = try? JSONParser.parse(response.body)["results"]?.array else { return }
        for result in results where result["outcome"] != "applied" || result["flags"]?.array?.isEmpty == false
        {
            throw .programFailed(name: "pos-hub", detail: "\(result.canonicalText)", lastErrors: "-")
        }
    }
}
