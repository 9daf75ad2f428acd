import Base

internal import Foundation

/// How long `pos-hub backup` beside a running hub and `pos-hub restore` take with 100,000 sales, beside the
/// plain durable copy of the same file.
struct BackupAndRestore: RowMeasure {
    private static let sales = 100_000
    private static let rounds = 3

    func rows(in workshop: Workshop) throws(BenchFailure) -> [Row] {
        let shop = try Shop("backup", in: workshop)
        try shop.push(sales: Self.sales)
        var (backups, restores, copies) = (Samples(), Samples(), Samples())
        var bytes = 0.0
        for round in 0..<Self.rounds {
            let file = shop.folder + "/hub.backup-\(round)"
            backups.add(try Stopwatch.time { () throws(BenchFailure) in try shop.backUp(to: file) })
            bytes = try TextFile.bytes(of: file)
            copies.add(try Stopwatch.time { () throws(BenchFailure) in try OrderExport.copy(file) })
            let store = shop.folder + "/restored-\(round).sqlite"
            restores.add(try Stopwatch.time { () throws(BenchFailure) in try shop.restore(file, to: store) })
        }
        let mebibytes = Int(bytes / 1_048_576)
        return [
            Row(
                name: "backup of \(mebibytes) MiB beside the hub", figure: backups.median(), unit: .time,
                yardstick: ("copy of the file", copies.median())),
            Row(
                name: "restore of it", figure: restores.median(), unit: .time,
                yardstick: ("copy of the file", copies.median())),
        ]
    }
}

extension Shop {
    /// Pushes so many sales as five tills that drain, in the contract's largest batches.
    func push(sales: Int) throws(BenchFailure) {
        let (tills, batch) = (5, 200)
        for number in 0..<tills {
            let till = try ScriptedTill(enrolledAt: address, code: try enrolmentCode(), device: number)
            let connection = try HubConnection(address)
            for _ in 0..<sales / batch / tills {
                let response = try connection.query(till.push(of: batch))
                guard response.status == 200 else {
                    throw .programFailed(
                        name: "pos-hub", detail: "it responded \(response.status) to a push", lastErrors: "-")
                }
            }
        }
    }
}
