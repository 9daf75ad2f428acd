import Base

internal import CurlHTTP
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

    private static let timeout: Duration = .seconds(3)

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

    /// A probe by GET: 200 within 3 s is good, anything else is not, a redirect neither.
    static func get(_ service: String, _ url: String, through session: any HTTPSession) -> Probe {
        Probe(service: service) {
            let request = HTTPRequest(
                url: url, timeout: timeout, connectTimeout: timeout, usesFreshConnection: true)
            guard case .success(let response) = await session.send(request).result else { return false }
            return response.status == 200
        }
    }
}
