internal import ServiceLifecycle

/// Reads every few seconds who was revoked and who is an operator, in a process that has no order store.
struct PublishedPull: Service {
    let gate: AccessGate

    private static let interval: Duration = .seconds(3)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil { gate.pull() }
        }
    }
}
