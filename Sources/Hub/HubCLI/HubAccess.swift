internal import Glibc
internal import HubProtocol
internal import HubServer
internal import HubStore
internal import HubStorePostgres
internal import HubStoreSQLite
internal import Logging

/// Gets a call done. On SQLite by the hub that owns the file, over its local socket, or by this process when
/// none runs; on PostgreSQL always by this process, beside whatever hubs run.
struct HubAccess: Sendable {
    let configuration: HubConfiguration

    /// A call for the order store.
    func perform(_ call: AdminCall) async throws -> JSONValue {
        switch configuration.store {
        case .sqlite(let path):
            let paths = StorePaths(ledger: path)
            if access(paths.ledger, F_OK) != 0 {
                // A mistyped path must not look as if everything went into the hub.
                Output.note("there was no hub's store at \(paths.ledger), a new one is made")
            }
            return try await perform(call, file: paths.ledger) {
                LedgerService(ledger: try SQLiteLedger(path: paths.ledger), configuration: configuration)
            }
        case .postgresql(let url):
            return try await perform(call) {
                LedgerService(ledger: try PostgresLedger(url: url), configuration: configuration)
            }
        }
    }

    /// A call for the QoS store.
    func performOnQoS(_ call: AdminCall) async throws -> JSONValue {
        switch configuration.store {
        case .sqlite(let path):
            let file = StorePaths(ledger: path).qos
            return try await perform(call, file: file) {
                try await qosService(on: try SQLiteQoSLedger(path: file))
            }
        case .postgresql(let url):
            return try await perform(call) { try await qosService(on: try PostgresQoSLedger(url: url)) }
        }
    }

    private func qosService(on ledger: any QoSLedger) async throws -> QoSAdminService {
        try await QoSAdminService(
            ledger: ledger, configuration: configuration.qos,
            logger: Logger(label: "pos-hub") { _ in SwiftLogNoOpLogHandler() })
    }

    private func perform(
        _ call: AdminCall, file: String, ownService: () async throws -> any AdminService
    ) async throws -> JSONValue {
        do {
            if let lock = try StoreLock.taken(of: file) {
                let response = try await ownService().perform(call)
                withExtendedLifetime(lock) {}
                return response
            }
            return try LocalSocket(path: StorePaths.socket(of: file)).perform(call)
        } catch {
            throw CommandFailure(starting: error)
        }
    }

    private func perform(
        _ call: AdminCall, on service: () async throws -> any AdminService
    ) async throws -> JSONValue {
        do {
            return try await service().perform(call)
        } catch {
            throw CommandFailure(starting: error)
        }
    }
}
