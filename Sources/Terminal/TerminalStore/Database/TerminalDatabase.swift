internal import Credentials
internal import DirectSQLite
internal import Dispatch
internal import Foundation
internal import GRDB
internal import Glibc
internal import Synchronization
package import Retail

/// The terminal's one database, `<home>/terminal.sqlite`: write-ahead log, `synchronous=FULL` applied and
/// checked, one connection that writes.
///
/// One connection writes on purpose: SQLite before 3.51.3 can damage a log that two connections write
/// (sqlite.org/wal.html#walresetbug), and one queue gives the journal's entries the order of their commits. A
/// handle is not trusted after a failed write or sync: it is closed, and the next access opens the file again
/// and verifies it.
///
/// Lists and reports are read on a second connection, which can only read, so that no sale waits for them
/// (``BackgroundReads``).
package final class TerminalDatabase: Sendable {
    private enum Handle {
        /// Changes to `broken` on a failed write or sync, to `closed` by ``TerminalDatabase/close()``.
        case open(DatabaseQueue)
        /// Changes to `open` by the next access, if the file can be verified.
        case broken
        /// Final.
        case closed
    }

    /// The file.
    package let path: String
    let reserve: ReserveFile
    let orderNumbers: OrderNumberReserve
    /// The key under which cashiers' PINs are kept.
    let secret: DeviceSecret
    /// Unix milliseconds of the wall clock.
    let wallMilliseconds: @Sendable () -> Int64
    /// What an entry that is made now says of its time.
    let clocks: @Sendable () -> EntryClocks
    private let handle: Mutex<Handle>
    /// The connection that only reads, and the one that writes beside it; nil before the first list.
    private let reader = Mutex<(queue: DatabaseQueue, writer: DatabaseQueue)?>(nil)
    private let found = Mutex<String?>(nil)
    /// Ids of the entries that the outbox held back when it was read.
    let held = HeldIds()
    private let reopened = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// Ids of the entries without a result by which people set pending entries aside that are in the outbox.
    let openDecisions = HeldIds()

    /// Whether a sale could be written now.
    package var hasRoomForSale: Bool { reserve.hasRoomForSale() }

    /// The damage in the database, as SQLite reports it; nil while none was found. While there is damage
    /// nothing is written: each access checks every page first.
    package var damage: String? { found.withLock { $0 } }

    /// Yields when the file was opened again after a failure: entries may be in it whose commit was reported
    /// as failed, since its log had them and only their sync failed. To be read once; ends with ``close()``.
    package var reopenings: AsyncStream<Void> { reopened.stream }

    /// Opens the database of `home`, migrating an older schema.
    ///
    /// - Parameters:
    ///   - home: the terminal's data folder; it exists.
    ///   - creating: whether a missing database is made. Only setting a terminal up may do that: a missing
    ///     database must not be replaced silently by an empty one.
    ///   - wallMilliseconds: the wall clock, in Unix milliseconds; it decides which business days are
    ///     plausible.
    ///   - clocks: what an entry that is made now says of its time. Default: the wall clock alone.
    package static func open(
        home: String, creating: Bool = false,
        wallMilliseconds: @escaping @Sendable () -> Int64 = TerminalDatabase.systemMilliseconds,
        clocks: (@Sendable () -> EntryClocks)? = nil
    ) throws(TerminalDatabaseError) -> TerminalDatabase {
        let path = home + "/terminal.sqlite"
        try DatabaseOpening.examine(path, creating: creating)
        let hadLog = DurableFile.exists(path + "-wal")
        let queue = try DatabaseOpening.open(path)
        do {
            let secret = try DeviceSecretFile(home: home).load()
            try queue.inDatabase { try CashierSealing.settle(in: $0, with: secret) }
            let now = wallMilliseconds()
            let mark = try queue.inDatabase { try OrderNumberRepair.recover(at: now, in: $0) }
            let numbers = try OrderNumberReserve(home: home, recovered: mark, at: now)
            try queue.inDatabase {
                try JournalLoss.notice(
                    reserved: numbers.found, last: mark.last, hadLog: hadLog, at: now, in: $0)
            }
            try queue.inDatabase { connection in
                let table = LeaseTable(database: connection)
                try table.raise(to: numbers.leaseMarks)
                // By the hub's time alone: a wall clock that is ahead would let the terminal forget what it
                // spent of leases that the hub has not ended.
                if let hubTime = try SQLiteTerminalFacts.hubTime(in: connection) {
                    numbers.forget(leases: try table.erase(before: hubTime, numbers.leaseMarks))
                }
            }
            let reserve = ReserveFile(home: home)
            reserve.keep()
            return TerminalDatabase(
                path: path, queue: queue, reserve: reserve, orderNumbers: numbers, secret: secret,
                wallMilliseconds: wallMilliseconds,
                clocks: clocks ?? { EntryClocks(terminal: wallMilliseconds(), hub: nil) })
        } catch {
            try? queue.close()
            throw DatabaseOpening.error(error, path: path)
        }
    }

    private init(
        path: String, queue: DatabaseQueue, reserve: ReserveFile, orderNumbers: OrderNumberReserve,
        secret: DeviceSecret, wallMilliseconds: @escaping @Sendable () -> Int64,
        clocks: @escaping @Sendable () -> EntryClocks
    ) {
        self.clocks = clocks
        self.secret = secret
        self.wallMilliseconds = wallMilliseconds
        self.path = path
        self.reserve = reserve
        self.orderNumbers = orderNumbers
        handle = Mutex(.open(queue))
    }

    /// What a repair of the database in `home` would copy; only reads the files.
    package static func salvageReport(home: String) -> SalvageReport {
        SalvagedJournal(path: home + "/terminal.sqlite").report
    }

    /// The system's wall clock in Unix milliseconds.
    package static func systemMilliseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// Checkpoints and closes; every later access fails. Order numbers that were reserved and not used are
    /// given back.
    package func close() {
        let queue: DatabaseQueue? = handle.withLock { handle in
            defer { handle = .closed }
            guard case .open(let queue) = handle else { return nil }
            return queue
        }
        reopened.continuation.finish()
        guard let queue else { return }
        closeReader(of: queue)
        if let last = try? queue.read({ try JournalHead.read($0).orderMark }) {
            do {
                try orderNumbers.seal(at: last)
            } catch {
                // The next run only skips numbers, and must not take them for lost sales.
                let reserved = orderNumbers.reserved
                try? queue.inDatabase { try JournalLoss.acceptReserved(reserved, in: $0) }
            }
        }
        try? queue.close()
    }

    /// Checks every page, index and journal link; empty without a fault. Slow on a large database, so it has
    /// a connection and a thread of its own: neither sales nor lists wait for it.
    package func verify() async -> [String] {
        do throws(StoreFailure) {
            let queue = try openQueue()
            let checks = DispatchQueue(label: "terminal.sqlite-check", qos: .utility)
            let result: Result<[String], StoreFailure> = await withCheckedContinuation { continuation in
                checks.async {
                    continuation.resume(returning: self.noting(Result { try Self.problems(in: self.path) }))
                }
            }
            return try settled(result, of: queue)
        } catch {
            return ["\(error)"]
        }
    }

    private static func problems(in path: String) throws -> [String] {
        let queue = try DatabaseOpening.openForReading(path)
        defer { try? queue.close() }
        return try queue.read { database in
            let pages = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
            return (pages == ["ok"] ? [] : pages) + (try JournalChain.problems(in: database))
        }
    }

    /// Runs `body` in one transaction that is durable when this returns.
    ///
    /// It does not depend on the caller's task: cancelling that task neither stops nor undoes it.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreFailure) -> Value {
        try await access { database in
            try database.inOneTransaction { try body(database) }
        }
    }

    /// Runs `body` in one transaction that is durable with the next one that is, or after some seconds: for
    /// what the hub says again when it is lost. It costs no sync, so that nothing that has one waits for it.
    func writeUnsynced<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreFailure) -> Value {
        try await access { database in
            try database.withoutSyncs { try database.inOneTransaction { try body(database) } }
        }
    }

    /// Runs `body`, which only reads, between two transactions; in a task with ``BackgroundReads`` beside
    /// them.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreFailure) -> Value {
        guard let background = BackgroundReads.current else { return try await access(body) }
        let queue = try openQueue()
        let reader = try openReader(beside: queue)
        let result: Result<Value, StoreFailure> = await withCheckedContinuation { continuation in
            background.perform {
                let result = Result { try reader.read(body) }
                continuation.resume(returning: self.noting(result))
            }
        }
        return try settled(result, of: queue)
    }

    /// Runs `body` alone on the connection that writes.
    func access<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreFailure) -> Value {
        let queue = try openQueue()
        let result: Result<Value, StoreFailure> = await withCheckedContinuation { continuation in
            queue.asyncWriteWithoutTransaction { database in
                continuation.resume(returning: self.noting(Result { try body(database) }))
            }
        }
        return try settled(result, of: queue)
    }

    /// Keeps what is damaged.
    private func noting<Value>(_ result: Result<Value, any Error>) -> Result<Value, StoreFailure> {
        if case .failure(let error as DatabaseError) = result, error.isDamage {
            found.withLock { $0 = error.description }
        }
        return result.mapError(StoreFailure.init)
    }

    /// What follows from the result of an access beside `queue`.
    private func settled<Value>(
        _ result: Result<Value, StoreFailure>, of queue: DatabaseQueue
    ) throws(StoreFailure) -> Value {
        switch result {
        case .success: break
        case .failure(.broken): abandon(queue)
        case .failure(.diskFull): reserve.release()
        case .failure(.refused), .failure(.notEnrolled), .failure(.leaseSpent), .failure(.cartGranted): break
        }
        return try result.get()
    }

    private func openQueue() throws(StoreFailure) -> DatabaseQueue {
        try handle.withLock { handle throws(StoreFailure) in
            switch handle {
            case .open(let queue): return queue
            case .closed: throw .refused(detail: "the database is closed")
            case .broken:
                do throws(TerminalDatabaseError) {
                    let queue = try DatabaseOpening.reopenAfterFailure(path)
                    handle = .open(queue)
                    found.withLock { $0 = nil }
                    reopened.continuation.yield()
                    return queue
                } catch {
                    if error.isDamage { found.withLock { $0 = error.description } }
                    throw .broken(detail: error.description)
                }
            }
        }
    }

    /// All that can be read of a damaged database, in a database in memory. No other access opens the file
    /// meanwhile.
    func salvaged() throws -> DatabaseQueue {
        try handle.withLock { _ in try SalvagedJournal(path: path).inMemory(at: wallMilliseconds()) }
    }

    /// Closes a handle that failed; of several accesses only the first one does.
    private func abandon(_ failed: DatabaseQueue) {
        let isOurs = handle.withLock { handle in
            guard case .open(let queue) = handle, queue === failed else { return false }
            handle = .broken
            return true
        }
        guard isOurs else { return }
        closeReader(of: failed)
        try? failed.close()
    }

    /// Never in use beside another handle than `writer`: what is read is what that one has written.
    private func openReader(beside writer: DatabaseQueue) throws(StoreFailure) -> DatabaseQueue {
        do {
            return try reader.withLock { reader in
                if let reader, reader.writer === writer { return reader.queue }
                try? reader?.queue.close()
                reader = nil
                let queue = try DatabaseOpening.openForReading(path)
                reader = (queue, writer)
                return queue
            }
        } catch {
            throw .refused(detail: "\(error)")
        }
    }

    /// Before its handle is closed, so that the last connection to go is the one that writes.
    private func closeReader(of writer: DatabaseQueue) {
        let queue = reader.withLock { reader -> DatabaseQueue? in
            guard reader?.writer === writer else { return nil }
            defer { reader = nil }
            return reader?.queue
        }
        try? queue?.close()
    }
}

extension Database {
    /// Runs `body` in a transaction that is committed when this returns and rolled back when it throws.
    func inOneTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try DirectStatement("BEGIN IMMEDIATE", in: self).run()
        do {
            let value = try body()
            try DirectStatement("COMMIT", in: self).run()
            return value
        } catch {
            // A full disk may have rolled it back already; the first error is the one to report.
            if isInsideTransaction { try? rollback() }
            throw error
        }
    }
}

extension Database {
    /// Runs `body`, whose commits are written and not synced: the log is consistent without it, and the next
    /// commit that is synced takes them along (sqlite.org/pragma.html#pragma_synchronous).
    ///
    /// - Throws: `broken` where every later commit would be without a sync.
    func withoutSyncs<Value>(_ body: () throws -> Value) throws -> Value {
        try execute(sql: "PRAGMA synchronous = NORMAL")
        let result = Result { try body() }
        do {
            try execute(sql: "PRAGMA synchronous = FULL")
        } catch {
            throw StoreFailure.broken(detail: "commits cannot be synced again: \(error)")
        }
        return try result.get()
    }
}

extension DatabaseError {
    /// Whether pages are not as SQLite left them.
    fileprivate var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
}

extension StoreFailure {
    init(_ error: any Error) {
        switch error {
        case let failure as StoreFailure: self = failure
        case let error as FileError:
            self = .refused(detail: error.description)
        case let error as DatabaseError where error.resultCode == .SQLITE_FULL: self = .diskFull
        case let error as DatabaseError where Self.breaksHandle(error.resultCode):
            self = .broken(detail: error.description)
        default: self = .refused(detail: "\(error)")
        }
    }

    private static func breaksHandle(_ code: ResultCode) -> Bool {
        let codes: [ResultCode] = [
            .SQLITE_IOERR, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CANTOPEN, .SQLITE_READONLY,
            .SQLITE_PROTOCOL,
        ]
        return codes.contains(code)
    }
}

/// The bytes of a column.
struct Blob: DatabaseValueConvertible {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var databaseValue: DatabaseValue { Data(bytes).databaseValue }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Blob? {
        Data.fromDatabaseValue(value).map { Blob([UInt8]($0)) }
    }
}
