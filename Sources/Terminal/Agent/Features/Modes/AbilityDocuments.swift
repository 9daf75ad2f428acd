internal import Base
internal import AgentAPI
internal import HubProtocol
internal import Pricing
internal import Retail

extension TenderState {
    /// - Parameter end: what ends an obstacle, and when.
    init(
        _ ability: TenderAbility, end: (TillObstacle) -> AbilityEnd = { AbilityEnd(command: $0.command) }
    ) {
        let ends = ability.needs.contains(.signIn) ? .signInRequired : ability.obstacle
        self.init(
            method: ability.tender.method, kind: ability.tender.kind.rawValue, route: ability.route.rawValue,
            limitMinor: ability.limit, needs: ability.needs.map(\.rawValue), reason: ability.refusal?.code,
            ends: ends.map(end) ?? AbilityEnd(),
            texts: ability.obstacle?.texts ?? ability.refusal?.texts)
        canExceed = ability.canExceed
    }
}

extension PointsState {
    /// - Parameters:
    ///   - scheme: of the store.
    ///   - end: what ends an obstacle, and when.
    init(
        _ ability: PointsAbility, _ scheme: PointsScheme,
        end: (TillObstacle) -> AbilityEnd = { AbilityEnd(command: $0.command) }
    ) {
        let obstacle: TillObstacle? =
            ability.refusal.flatMap { TillObstacle($0) }
            ?? (ability.needs.contains(.signIn) ? .signInRequired : nil)
        self.init(
            route: ability.route.rawValue, limit: ability.limit, balance: ability.balance,
            valueMinor: scheme.value, minimum: scheme.minimumSpend, needs: ability.needs.map(\.rawValue),
            reason: ability.refusal?.code, ends: obstacle.map(end) ?? AbilityEnd(),
            texts: ability.refusal?.texts)
    }
}

extension SaleRefusal {
    /// The message in every language.
    fileprivate var texts: [String: String] { Language.texts(text(in:)) }
}
