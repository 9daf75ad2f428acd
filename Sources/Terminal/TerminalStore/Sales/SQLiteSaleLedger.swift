internal import GRDB
package import Base
package import Retail

/// Records sales in the terminal's database.
package struct SQLiteSaleLedger: SaleLedger {
    private let database: TerminalDatabase

    /// Makes the access to an open database; reads nothing yet.
    package init(_ database: TerminalDatabase) {
        self.database = database
    }

    /// A few system calls. Without room it gives the reserve file up for draining, and throws
    /// ``StorageError/diskFull(path:)``.
    package func checkReadiness() async throws(StorageError) {
        guard database.reserve.hasRoomForSale() else {
            database.reserve.release()
            throw .diskFull(path: database.path)
        }
        database.reserve.keep()
    }

    /// Two system calls.
    package func readiness() async throws(StorageError) {
        guard database.reserve.hasRoomForSale() else { throw .diskFull(path: database.path) }
    }

    /// Reserves the order numbers of the first sale of `day` in the background, so that on a slow disk it
    /// waits for one sync and not for three. Costs nothing once that is done.
    package func prepare(for day: BusinessDay) async throws(StorageError) {
        let numbers = database.orderNumbers
        guard !numbers.isPrepared(for: day.number) else { return }
        try await database.ledgerRead { connection in
            let head = try JournalHead.read(connection)
            let last = try OrderNumberRepair.last(
                before: day.number, of: head, numbers: numbers, in: connection)
            numbers.prepare(after: last, on: day.number)
        }
    }

    /// One row.
    package func openShift() async throws(StorageError) -> String? {
        try await database.ledgerRead { try JournalHead.read($0).openShift }
    }

    /// Reads the complete sale by its key, with its void and its result from the hub.
    package func sale(key: ULID) async throws(StorageError) -> Sale? {
        try await database.ledgerRead { try SaleReader($0).sale(key: key) }
    }

    /// An index finds the row.
    package func order(paidBy method: String, _ number: String) async throws(StorageError) -> String? {
        try await database.ledgerRead { connection in
            try VoucherTable(database: connection).order(paidBy: method, number)
        }
    }

    /// A transaction of the journal, synced at its commit; a failed sync whose sale reached the disk counts
    /// as success.
    package func commit(_ draft: SaleDraft) async throws(StorageError) -> CommittedSale {
        let (numbers, clocks) = (database.orderNumbers, database.clocks())
        let clock = ContinuousClock()
        do throws(StoreFailure) {
            return try await database.access { connection in
                if !PlantedBug.saleKeyNotLookedUp.isPlanted,
                    let first = try SaleReader(connection).sale(key: draft.key)
                {
                    return CommittedSale(sale: first, durable: .zero)
                }
                let writer = try SaleWriter(draft, clocks, in: connection, numbers: numbers)
                // The transaction alone, from its beginning to the end of the commit.
                let start = clock.now
                func record() throws { try connection.inOneTransaction { try writer.write() } }
                try PlantedBug.commitNotSynced.isPlanted ? connection.withoutSyncs(record) : record()
                return CommittedSale(sale: writer.sale, durable: clock.now - start)
            }
        } catch {
            if case .broken = error, let sale = try? await sale(key: draft.key) {
                // The commit reached the disk although its sync failed: reopening wrote it into the database
                // and synced that, so the sale is recorded.
                return CommittedSale(sale: sale, durable: .zero)
            }
            throw StorageError(error, path: database.path)
        }
    }

    /// One transaction for both, as ``commit(_:)``; the refund's entry comes first.
    package func commit(
        _ draft: SaleDraft, for refund: RefundDraft
    ) async throws(StorageError) -> Result<CommittedSale, OrderRefusal> {
        let (numbers, clocks) = (database.orderNumbers, database.clocks())
        let clock = ContinuousClock()
        do throws(StoreFailure) {
            return try await database.access { connection in
                if let first = try Self.exchange(draft.key, in: connection) { return .success(first) }
                let record: RefundRecord
                switch try RefundRecord.decided(refund, in: connection) {
                case .success(let decided): record = decided
                case .failure(let refusal): return .failure(refusal)
                }
                let start = clock.now
                let (sale, refunded) = try connection.inOneTransaction {
                    let refunded = try record.write(clocks, in: connection)
                    // Behind the refund's entry, whose hash its own continues.
                    let writer = try SaleWriter(draft, clocks, in: connection, numbers: numbers)
                    try writer.write()
                    return (writer.sale, refunded)
                }
                var (exchanged, returned) = (sale, refunded)
                (exchanged.returnedWorth, returned.isOfExchange) = (refunded.content.paid, true)
                return .success(
                    CommittedSale(sale: exchanged, durable: clock.now - start, refund: returned))
            }
        } catch {
            if case .broken = error,
                let first = try? await database.ledgerRead({ try Self.exchange(draft.key, in: $0) })
            {
                return .success(first)
            }
            throw StorageError(error, path: database.path)
        }
    }

    /// The sale of a key with what came back for it; nil: none was recorded.
    private static func exchange(_ key: ULID, in connection: Database) throws -> CommittedSale? {
        try SaleReader(connection).sale(key: key).map { sale in
            CommittedSale(
                sale: sale, durable: .zero, refund: try RefundReader(connection).refund(id: key.description))
        }
    }
}

extension TerminalDatabase {
    /// ``read(_:)`` with the errors of the business layer.
    func ledgerRead<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        do throws(StoreFailure) {
            return try await read(body)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// ``access(_:)`` with the errors of the business layer.
    func ledgerAccess<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        do throws(StoreFailure) {
            return try await access(body)
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// ``write(_:)`` with the errors of the business layer.
    func ledgerWrite<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        do throws(StoreFailure) {
            return try await write(body)
        } catch {
            throw StorageError(error, path: path)
        }
    }
}

extension StorageError {
    init(_ failure: StoreFailure, path: String) {
        switch failure {
        case .diskFull: self = .diskFull(path: path)
        case .broken(let detail), .refused(let detail): self = .unavailable(detail: detail)
        case .notEnrolled: self = .notEnrolled
        case .leaseSpent(let use, let left): self = .leaseSpent(use, left: left)
        case .cartGranted(let taker): self = .cartGranted(to: taker)
        }
    }
}
