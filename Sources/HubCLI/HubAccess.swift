internal import HubProtocol
internal import HubServer
internal import HubStore
internal import Logging

/// Gets a call done: by the hub that owns the store, over its local socket, or by this process when none
/// runs.
struct HubAccess: Sendable {
    let configuration: HubConfiguration

    /// A call for the order store.
    func perform(_ call: AdminCall) async throws -> JSONValue {
        let paths = StorePaths(ledger: configuration.storePath)
        return try await perform(call, store: paths.ledger) {
            LedgerDesk(ledger: try SQLiteLedger(path: paths.ledger), paths: paths)
        }
    }

    /// A call for the QoS store.
    func performOnQoS(_ call: AdminCall) async throws -> JSONValue {
        let path = StorePaths(ledger: configuration.storePath).qos
        return try await perform(call, store: path) {
            try await QoSDesk(
                ledger: try SQLiteQoSLedger(path: path), configuration: configuration.qos,
                logger: Logger(label: "pos-hub") { _ in SwiftLogNoOpLogHandler() })
        }
    }

    private func perform(
        _ call: AdminCall, store: String, ownDesk: () async throws -> any AdminDesk
    ) async throws -> JSONValue {
        do {
            if let lock = try StoreLock.taken(of: store) {
                let desk = try await ownDesk()
                let answer = try await desk.perform(call)
                withExtendedLifetime(lock) {}
                return answer
            }
            return try LocalSocket(path: StorePaths.socket(of: store)).perform(call)
        } catch {
            throw CommandFailure(starting: error)
        }
    }
}
