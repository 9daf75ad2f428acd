import HoldfastOffline

/// A module of the business: it prepares before a switch and catches up after it.
final class Prices: OfflineModeParticipant {
    func terminalWillGoOffline(causes: [OfflineCause]) async {
        print("prices: keep a copy, because of \(causes.map(\.rawValue).joined(separator: ", "))")
    }

    func terminalDidComeOnline() async {
        print("prices: read the new ones")
    }
}

/// A service of the business: it goes to the server or into the program's own queue.
struct Orders {
    static let service = BusinessService(
        "order", routes: [APIRoute(method: "POST", template: "/orders")])

    let modes: any OfflineModeProviding

    func place(_ order: String) {
        switch modes.route(of: Self.service) {
        case .online: print("orders: send \(order)")
        case .local: print("orders: keep \(order) until the server is there again")
        }
    }
}

/// The network of this example: one path, and a server that always responds. A program of yours reports
/// its interfaces here and sends a request to its server.
struct QuietNetwork: PathMonitoring, HubProbing {
    func statuses() -> AsyncStream<PathStatus> {
        AsyncStream { path in
            path.yield(
                PathStatus(
                    isUsable: true, interface: "eth0", transport: .ethernet, isMetered: false,
                    isConstrained: false, route: "eth0 192.0.2.2 via 192.0.2.1"))
        }
    }

    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        .good(roundTrip: .milliseconds(1))
    }
}

/// Reads lines: `offline` and `online` switch, every other line is an order.
@main
struct OfflineExample {
    static func main() async throws {
        let network = QuietNetwork()
        let offline = OfflineService(
            apis: CoreAPIs([Orders.service]), ports: OfflinePorts(path: network, probe: network))
        offline.register(Prices())
        let orders = Orders(modes: offline)
        let running = Task { await offline.run() }
        while let line = readLine() {
            switch line {
            case "offline": _ = try await offline.setManual(on: true, by: nil, reason: "stocktaking")
            case "online": _ = try await offline.setManual(on: false, by: nil, reason: nil)
            default: orders.place(line)
            }
        }
        running.cancel()
        await running.value
    }
}
