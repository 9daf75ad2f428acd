internal import AgentAPI
internal import HubProtocol
internal import Pricing
internal import Retail

extension TenderState {
    init(_ ability: TenderAbility) {
        let ends = ability.needs.contains(.signIn) ? .signInRequired : ability.obstacle
        self.init(
            method: ability.tender.method, kind: ability.tender.kind.rawValue, route: ability.route.rawValue,
            limitMinor: ability.limit, needs: ability.needs.map(\.rawValue), reason: ability.refusal?.code,
            ends: AbilityEnd(command: ends?.command),
            texts: ability.obstacle?.texts ?? ability.refusal?.texts)
        canExceed = ability.canExceed
    }
}

extension PointsState {
    /// - Parameter scheme: of the store.
    init(_ ability: PointsAbility, _ scheme: PointsScheme) {
        let obstacle: TillObstacle? =
            ability.refusal.flatMap { TillObstacle($0) }
            ?? (ability.needs.contains(.signIn) ? .signInRequired : nil)
        self.init(
            route: ability.route.rawValue, limit: ability.limit, balance: ability.balance,
            valueMinor: scheme.value, minimum: scheme.minimumSpend, needs: ability.needs.map(\.rawValue),
            reason: ability.refusal?.code, ends: AbilityEnd(command: obstacle?.command),
            texts: ability.refusal?.texts)
    }
}

extension SaleRefusal {
    /// The message in every language.
    fileprivate var texts: [String: String] {
        var texts: [String: String] = [:]
        for language in BannerLanguage.allCases {
            texts[language.rawValue] = language == .chinese ? chinese ?? message : message
        }
        return texts
    }
}
