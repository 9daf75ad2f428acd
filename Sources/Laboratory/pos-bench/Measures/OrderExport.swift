import Base

internal import Foundation

/// How fast `pos-hub orders export` writes what a hub has, in each format, and `pos-hub journal export` its
/// documents, beside the plain copy of the same file: process start, the way through the hub in pages and the
/// file on the disk are all in it.
struct OrderExport: RowMeasure {
    /// 500 of the contract's largest batches.
    private static let (pushes, batch) = (500, 200)
    private static let tills = 5
    private static let rounds = 3

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("export", in: workshop)
        for number in 0..<Self.tills {
            let till = try ScriptedTill(
                enrolledAt: shop.address, code: try shop.enrolmentCode(), device: number)
            let connection = try HubConnection(shop.address)
            for _ in 0..<Self.pushes / Self.tills {
                let response = try connection.query(till.push(of: Self.batch))
                guard response.status == 200 else {
                    throw .programFailed(
                        name: "pos-hub", detail: "it responded \(response.status) to a push", lastErrors: "-")
                }
            }
        }
        let count = Double(Self.pushes * Self.batch)
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
                    name: "export of \(Int(count)) orders, \(format)", figure: count * 1e9 / exports.median(),
                    unit: .perSecond, yardstick: ("copy of the file", count * 1e9 / copies.median()),
                    aim: .atLeast(50_000)))
        }
        return rows
    }

    /// Durable, as an export is.
    private static func copy(_ path: String) throws(BenchFailure) {
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
