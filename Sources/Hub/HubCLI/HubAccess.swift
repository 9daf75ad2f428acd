internal import Glibc
internal import HubProtocol
internal import HubServer
internal import HubStore
internal import HubStorePostgres
internal import HubStoreSQLite
internal import Logging

/// Gets a call done. On SQLite by the hub that owns the file, over its local socket, or by this process when
/// none runs; on PostgreSQL always by this process, beside whatever hubs run.
///
/// A store that is not there is refused, unless the call is the first one of a new hub: a mistyped path or a
/// forgotten option must not look like an empty hub.
struct HubAccess: Sendable {
    let configuration: HubConfiguration

    /// A call for the order store.
    func perform(_ call: AdminCall) async throws -> JSONValue {
        try await withService(makesStore: call.makesStore) { service in try await service.perform(call) }
    }

    /// Calls for the order store, one after another.
    func withService<Value>(
        makesStore: Bool = false, _ body: (any AdminService) async throws -> Value
    ) async throws -> Value {
        switch configuration.store {
        case .sqlite(let path):
            let paths = StorePaths(ledger: path)
            if StoreLocation.isMissing(paths.ledger) {
                guard makesStore else { throw CommandFailure.noStore(at: paths.ledger) }
                Output.note("there was no hub's store at \(paths.ledger), a new one is made")
            }
            return try await with(file: paths.ledger, body) {
                LedgerService(ledger: try SQLiteLedger(path: paths.ledger), configuration: configuration)
            }
        case .postgresql(let url):
            return try await with(body) {
                if !makesStore { try requireTables(url) }
                return LedgerService(
                    ledger: try PostgresLedger(url: url), configuration: configuration)
            }
        }
    }

    /// A call for the QoS store.
    func performOnQoS(_ call: AdminCall) async throws -> JSONValue {
        switch configuration.store {
        case .sqlite(let path):
            let file = StorePaths(ledger: path).qos
            guard !StoreLocation.isMissing(file) else { throw CommandFailure.noStore(at: file) }
            return try await with(file: file) { service in
                try await service.perform(call)
            } own: {
                try await qosService(on: try SQLiteQoSLedger(path: file))
            }
        case .postgresql(let url):
            return try await with { service in
                try await service.perform(call)
            } own: {
                try requireTables(url)
                return try await qosService(on: try PostgresQoSLedger(url: url))
            }
        }
    }

    private func requireTables(_ url: String) throws {
        guard try PostgresStoreSummary.schema(of: url) != nil else {
            throw CommandFailure.noStore(at: StoreLocation.postgresql(url: url).shown)
        }
    }

    private func qosService(on ledger: any QoSLedger) async throws -> QoSAdminService {
        try await QoSAdminService(
            ledger: ledger, configuration: configuration.qos,
            logger: Logger(label: "pos-hub") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Who has the store and does not respond is another command, which ends soon, or a hub that starts: so
    /// the commands of one night are made one after the other. Two seconds in all.
    private static let attempts = 40
    private static let wait = Duration.milliseconds(50)

    private func with<Value>(
        file: String, _ body: (any AdminService) async throws -> Value,
        own: () async throws -> any AdminService
    ) async throws -> Value {
        do {
            let hub = LocalSocket(path: StorePaths.socket(of: file))
            for attempt in 1... {
                if let lock = try StoreLock.taken(of: file) {
                    let value = try await body(own())
                    withExtendedLifetime(lock) {}
                    return value
                }
                if attempt == Self.attempts || hub.responds { break }
                try await Task.sleep(for: Self.wait)
            }
            return try await body(hub)
        } catch {
            throw CommandFailure(starting: error)
        }
    }

    private func with<Value>(
        _ body: (any AdminService) async throws -> Value, own: () async throws -> any AdminService
    ) async throws -> Value {
        do {
            return try await body(own())
        } catch {
            throw CommandFailure(starting: error)
        }
    }
}

extension AdminCall {
    /// Whether a command of it may be the first one of a new hub: an import before the hub's first start.
    fileprivate var makesStore: Bool {
        if case .importList = self { return true }
        if case .hashPINs = self { return true }
        return false
    }
}
