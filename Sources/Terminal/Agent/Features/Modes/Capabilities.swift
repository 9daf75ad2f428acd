internal import Base
internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail

/// What each module can do now, what it cannot, why, and what ends that. What a person does at the till is as
/// ``TillAbilities`` has decided it.
struct Capabilities {
    let status: ModeStatus
    let abilities: TillAbilities
    /// The services that sales do not wait for.
    let slowServices: [String]
    /// What stops sending beside the mode.
    let stops: Stops

    /// What stops sending beside the mode.
    struct Stops: Hashable {
        /// The hub no longer accepts this version.
        var isTooOld = false
        /// Another copy of this terminal goes on.
        var isSuperseded = false
        /// The end of the hub's `Retry-After` in the store's time; nil while none is valid.
        var waitEnds: String?
    }

    var byModule: [TillModule: Capability] {
        [
            .checkout: action(.sale, module("order", limits: [])),
            .cash: cash,
            .card: card,
            .coupons: action(.coupon, module("marketing", limits: [.couponsOfHub])),
            .priceOverride: action(.priceOverride),
            .exchange: action(.exchange),
            .refund: action(.refund),
            .void: action(.void),
            .park: action(.park),
            .notes: action(.note),
            .manualOffline: action(.manualSwitch),
            .sync: sync,
            .catalogue: module("product", limits: [.pricesOfPull]),
            .account: module("account", limits: [.pinsOfPull]),
            .member: module("member", limits: [.membersOfPull]),
            .marketing: module("marketing", limits: [.offersOfPull, .couponsOfHub]),
        ]
    }

    private func module(_ service: String, limits: [CapabilityLimit]) -> Capability {
        guard let obstacle = obstacle(to: service) else { return Capability(route: "online", limits: []) }
        return Capability(
            route: obstacle == .slow(service) ? "online" : "local", limits: limits.map(\.rawValue),
            obstacle: Capability.Obstacle(obstacle, stopsAll: false))
    }

    /// Why calls of `service` are not sent, or not waited for; nil: they are.
    private func obstacle(to service: String) -> TillObstacle? {
        if let cause = TillObstacle(status) { return cause }
        // Every call that needs the terminal's identity is refused until somebody enrols it again.
        if status.connectivity.state == .authBlocked { return .notEnrolled }
        if status.services.contains(where: { $0.service == service && $0.isFaulty }) {
            return .service(service)
        }
        return slowServices.contains(service) ? .slow(service) : nil
    }

    // MARK: - What a person does

    /// An action of the till, which the hub is not needed for.
    private func action(
        _ action: TillAction, _ capability: Capability = Capability(route: "local", limits: [])
    ) -> Capability {
        let ability = abilities[action]
        return complete(capability, refusal: ability.refusal, needs: ability.needs)
    }

    private func complete(
        _ capability: Capability, refusal: SaleRefusal?, needs: [TillNeed]
    ) -> Capability {
        let obstacle =
            refusal.map { TillObstacle($0) ?? .notRecording }
            ?? (needs.contains(.signIn) ? .signInRequired : nil)
        let words = needs.map(\.rawValue)
        guard let obstacle else {
            return Capability(
                route: capability.route, limits: capability.limits, obstacle: capability.obstacle,
                needs: words)
        }
        return Capability(
            route: capability.route,
            limits: capability.limits + [Language.english.refusalTexts.why(obstacle)],
            obstacle: Capability.Obstacle(obstacle, stopsAll: true), needs: words)
    }

    private var cash: Capability {
        let cash = abilities[Tender.cash.method]
        return complete(
            Capability(route: "local", limits: []), refusal: cash?.refusal, needs: cash?.needs ?? [])
    }

    /// By the best way of the store's cards.
    private var card: Capability {
        let cards = abilities.cards
        let ways: [TenderAbility.Route] = [.hub, .machine, .stored, .refused]
        let best = ways.lazy.compactMap { way in cards.first { $0.route == way } }.first
        guard let best else { return stopped(.noTender) }
        let needs = best.needs.filter { $0 == .signIn }
        switch best.route {
        case .refused: return stopped(best.obstacle ?? .noTender)
        case .hub, .local:
            let passed = best.obstacle == .signInRequired ? nil : best.obstacle
            return complete(
                Capability(
                    route: "online", limits: [],
                    obstacle: passed.map { Capability.Obstacle($0, stopsAll: false) }),
                refusal: nil, needs: needs)
        case .machine, .stored:
            let limit: CapabilityLimit = best.route == .machine ? .byMachine : .stored
            return complete(
                Capability(
                    route: "local", limits: [limit.rawValue],
                    obstacle: best.obstacle.map { Capability.Obstacle($0, stopsAll: false) }),
                refusal: nil, needs: needs)
        }
    }

    private func stopped(_ obstacle: TillObstacle) -> Capability {
        Capability(
            route: "local", limits: [Language.english.refusalTexts.why(obstacle)],
            obstacle: Capability.Obstacle(obstacle, stopsAll: true))
    }

    /// Sending what was recorded here.
    private var sync: Capability {
        if stops.isSuperseded { return stopped(.superseded) }
        if stops.isTooOld { return stopped(.tooOld) }
        if let obstacle = obstacle(to: "order"), obstacle != .slow("order") { return stopped(obstacle) }
        if let end = stops.waitEnds { return stopped(.busy(until: end)) }
        return Capability(route: "online", limits: [])
    }
}

extension Capability.Obstacle {
    init(_ obstacle: TillObstacle, stopsAll: Bool) {
        self.init(
            reason: obstacle.word, stopsAll: stopsAll, command: obstacle.command, texts: obstacle.texts)
    }
}

extension TillObstacle {
    /// Why, and what ends it, in one line of every language.
    var texts: [String: String] { Language.texts { $0.refusalTexts.text(self) } }
}
