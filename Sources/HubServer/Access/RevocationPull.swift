internal import ServiceLifecycle

/// Reads the published revocations every few seconds, in a process that has no order store.
struct RevocationPull: Service {
    let revocations: Revocations

    private static let interval: Duration = .seconds(3)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil { revocations.pull() }
        }
    }
}
