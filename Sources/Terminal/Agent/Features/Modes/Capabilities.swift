internal import AgentAPI
internal import HubProtocol
internal import OfflineCore

/// What each module can do now, and what it cannot.
struct Capabilities {
    let status: ModeStatus
    /// Whether the hub has a payment service.
    let takesCards: Bool

    /// By the module's name.
    var byModule: [String: Capability] {
        [
            "checkout": module("order", limits: []),
            "payment.cash": Capability(route: "local", limits: []),
            "payment.card": card,
            "catalogue": module("product", limits: ["prices as of the last pull"]),
            "account": module("account", limits: ["PINs as of the last pull"]),
            "member": module("member", limits: ["members as of the last pull"]),
            "marketing": module(
                "marketing",
                limits: ["offers as of the last pull", "offers and coupons that need the hub are not given"]),
        ]
    }

    private func module(_ service: String, limits: [String]) -> Capability {
        let isLocal = isLocal(service)
        return Capability(route: isLocal ? "local" : "online", limits: isLocal ? limits : [])
    }

    private var card: Capability {
        if !takesCards { return Self.local("no payment service is configured at the hub; take cash") }
        if isUnknownToTheHub {
            return Self.local("the hub does not accept this terminal: enrol it again; take cash")
        }
        return module("payment", limits: ["card payments need the hub; take cash"])
    }

    private static func local(_ limit: String) -> Capability {
        Capability(route: "local", limits: [limit])
    }

    /// Every call that needs the terminal's identity is refused until somebody enrols it again.
    private var isUnknownToTheHub: Bool { status.connectivity.state == .authBlocked }

    private func isLocal(_ service: String) -> Bool {
        guard status.mode == .online else { return true }
        return status.services.contains {
            $0.service == service && ($0.state == .faulty || $0.state == .recovering)
        }
    }
}
