internal import Logging
internal import ServiceLifecycle

/// Reads every few seconds what other processes of the hub changed: who was revoked, who is an operator, what
/// was decided on the services and what terminals reported of them.
struct AccessPull: Service {
    let stores: HubStores
    let engine: QoSEngine?
    let logger: Logger

    private static let interval: Duration = .seconds(3)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil { await pull() }
        }
    }

    private func pull() async {
        do {
            try await stores.readAccess()
            if stores.sharesDecisions {
                try await engine?.adopt()
                try await engine?.exchangeReports()
            }
        } catch {
            logger.warning("what other processes changed was not read", metadata: ["reason": "\(error)"])
        }
    }
}
