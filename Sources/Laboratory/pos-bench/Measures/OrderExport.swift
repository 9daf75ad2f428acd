import Base

internal import Foundation
internal import Glibc

/// How fast `pos-hub orders export` writes what a hub has, in each format, and `pos-hub journal export` its
/// documents, beside the plain copy of the same file: process start, the way through the hub in pages and the
/// file on the disk are all in it.
struct OrderExport: RowMeasure {
    private static let orders = 100_000
    private static let rounds = 3

    /// The hub's store.
    let store: LoopbackDrain.Store

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        switch store {
        case .sqlite: return try rows("SQLite", of: try Shop("export", in: workshop))
        case .postgresql:
            guard let url = getenv("HOLDFAST_POSTGRESQL").map({ String(cString: $0) }) else {
                throw .notHere("HOLDFAST_POSTGRESQL names no empty database; .ci/with-postgresql makes one")
            }
            return try rows(
                "PostgreSQL", of: try Shop("export-postgresql", in: workshop, store: url))
        }
    }

    private func rows(_ place: String, of shop: Shop) throws(BenchFailure) -> [Row] {
        try shop.push(sales: Self.orders)
        let count = Double(Self.orders)
        var rows: [Row] = []
        for format in ["csv", "json", "poslog", "journal"] {
            let path = shop.folder + "/orders." + format
            var (exports, copies) = (Samples(), Samples())
            for _ in 0..<Self.rounds {
                exports.add(
                    try Stopwatch.time { () throws(BenchFailure) in
                        if format == "journal" {
                            try shop.exportJournal(to: path)
                        } else {
                            try shop.exportOrders(as: format, to: path)
                        }
                    })
                copies.add(try Stopwatch.time { () throws(BenchFailure) in try Self.copy(path) })
            }
            rows.append(
                Row(
                    name: "export of \(Int(count)) orders, \(format), \(place)",
                    figure: count * 1e9 / exports.median(),
                    unit: .perSecond, yardstick: ("copy of the file", count * 1e9 / copies.median()),
                    aim: .atLeast(50_000)))
        }
        return rows
    }

    /// Durable, as an export is.
    static func copy(_ path: String) throws(BenchFailure) {
        do {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let copy = URL(fileURLWithPath: path + ".copy")
            try bytes.write(to: copy)
            let handle = try FileHandle(forWritingTo: copy)
            try handle.synchronize()
            try handle.close()
        } catch {
            throw .programFailed(name: "pos-bench", detail: "\(error)", lastErrors: "-")
        }
    }
}
