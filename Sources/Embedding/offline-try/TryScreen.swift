import Base
import OfflineCore
import OfflineMode

/// The picture of one moment: pure text, at most 78 columns.
struct TryScreen {
    let status: ModeStatus
    let broken: Set<ShopLine.Part>
    let orders: Orders.Book
    let now: Instant
    /// Whether the terminal shows bold text.
    var isStyled = false

    var lines: [String] {
        [
            banner, "", line, "", "  causes (offline while one of them holds)",
            factor("manual flag", status.manual.isOn, status.manual.isOn ? "on" : "off"),
            factor("network fault", status.causes.contains(.network), network),
            factor("service fault", status.causes.contains(.service), service), "", "  the network detector",
        ] + picture + [
            "", "  orders: \(orders.sent) sent, \(orders.kept) kept", "  the module was notified:",
        ] + (orders.notices.isEmpty ? ["    of nothing yet"] : orders.notices.map { "    it \($0)" }) + [
            "", "  c cable  u uplink behind the router  h server  s service  m manual  q quit",
        ]
    }

    private var banner: String {
        guard status.mode == .offline else { return strong("  ONLINE") }
        let causes = status.causes.map(\.rawValue).joined(separator: ", ")
        return strong("  OFFLINE (\(causes)): orders are kept")
    }

    private var line: String {
        let cable = broken.contains(.cable) ? "--  x  --" : "---------"
        let uplink = broken.contains(.uplink) ? "--  x  --" : "---------"
        let server =
            broken.contains(.server)
            ? "[server: off]" : broken.contains(.service) ? "[server: 503]" : "[server]"
        return "  [till] \(cable) [router] \(uplink) \(server)"
    }

    private func factor(_ name: String, _ holds: Bool, _ detail: String) -> String {
        let text = "    [\(holds ? "x" : " ")] \(name.padded(to: 14)) \(detail)"
        return holds ? strong(text) : text
    }

    private var network: String {
        let state = status.network.state
        guard let deadline = status.network.deadline else { return state.rawValue }
        let name = state == .recovering ? "T2" : "T1"
        let left = max(0, (deadline - now).wholeMilliseconds)
        let evidence = status.network.evidence.last.map { ", \($0)" } ?? ""
        return "\(state.rawValue): \(name) ends in \(left / 1000).\(left % 1000 / 100) s\(evidence)"
    }

    private var service: String {
        guard let order = status.services.first else { return "none" }
        let source = order.generation > 0 ? ", decided by \(order.source.rawValue)" : ""
        return "\(order.service) is \(order.state.rawValue)\(source)"
    }

    /// Whether the server is silent and the network is not: the network counts as reachable then.
    private var isServerAlone: Bool {
        status.network.state == .reachable
            && status.services.contains { $0.source == .local && $0.state != .healthy }
    }

    /// The states of the detector and the ways between them.
    private var picture: [String] {
        func name(_ name: String, isNow: Bool) -> String { isNow ? strong("[\(name)]") : " \(name) " }
        func state(_ state: NetworkStatus.State) -> String {
            name(state.rawValue, isNow: status.network.state == state && !isServerAlone)
        }
        return [
            "    \(state(.reachable)) -- first failure --> \(state(.suspect)) -- T1, failed round --+",
            "         ^    ^                          |                          |",
            "         |    +------- a response -------+                          v",
            "         +-- T2 -- \(state(.recovering)) <---- first good probe ---- \(state(.unreachable))",
            "                        ^--- the server alone is silent --- "
                + name("backendDown", isNow: isServerAlone),
        ]
    }

    private func strong(_ text: String) -> String { isStyled ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
