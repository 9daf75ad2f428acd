import Base

internal import Foundation
internal import FoundationNetworking
internal import HubCore
internal import OfflineCore
internal import ServiceLifecycle

/// Probes services at a fixed interval and reports each result to the engine. It also runs the engine, for
/// changes that only depend on time.
struct ServiceProbes: Service {
    /// One service and how to find out whether it is well.
    struct Probe: Sendable {
        let service: String
        let isWell: @Sendable () async -> Bool
    }

    let probes: [Probe]
    let engine: QoSEngine
    let interval: Duration

    private static let timeoutSeconds = 3.0

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                for probe in probes { group.addTask { await watch(probe) } }
                group.addTask { await engine.run() }
            }
        }
    }

    private func watch(_ probe: Probe) async {
        while (try? await Task.sleep(for: interval)) != nil {
            let isWell = await probe.isWell()
            guard !Task.isCancelled else { return }
            await engine.handle(.probed(service: probe.service, succeeded: isWell))
        }
    }

    /// A probe by GET: 200 within 3 s is good, anything else is not.
    static func get(_ service: String, _ url: URL) -> Probe {
        Probe(service: service) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForRequest = timeoutSeconds
            configuration.timeoutIntervalForResource = timeoutSeconds
            let session = URLSession(configuration: configuration)
            defer { session.finishTasksAndInvalidate() }
            let response = try? await session.data(from: url)
            return (response?.1 as? HTTPURLResponse)?.statusCode == 200
        }
    }
}
