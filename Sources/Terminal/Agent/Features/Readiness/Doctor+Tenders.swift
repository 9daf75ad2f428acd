internal import AgentAPI
internal import HubProtocol
internal import Pricing
internal import Retail
internal import TerminalStore

extension Doctor {
    /// How the customers can pay: now, and once the network fails.
    func tenders() async -> [DoctorCall.Check] {
        let now = await checkout.abilities()
        let stop = now[.sale].refusal
        let currency = ((try? await store.catalogue.currency()) ?? nil) ?? ""
        return [
            check(
                "tenders", stop == nil, stop?.text(in: language) ?? words(now, currency),
                fix: TillObstacle.optional(stop)?.command.map { "`\($0)`" } ?? texts.statusSaysWhy),
            note("tenders in an outage", words(await checkout.abilitiesInOutage(), currency)),
        ] + passedMachine(now)
    }

    /// A machine that took nothing when it was tried last, so that cards go by another way.
    private func passedMachine(_ abilities: TillAbilities) -> [DoctorCall.Check] {
        let passed: [TillObstacle] = [.machineAway, .machineRefused, .machineBusy]
        let obstacles = abilities.tenders.compactMap(\.obstacle)
        guard let obstacle = obstacles.first(where: { passed.contains($0) }) else { return [] }
        return [
            check(
                "card machine", obstacle == .machineBusy, language.refusalTexts.why(obstacle),
                fix: obstacle.command.map { "`\($0)`" } ?? texts.checkMachine)
        ]
    }

    private func words(_ abilities: TillAbilities, _ currency: String) -> String {
        abilities.tenders.map { ability in
            var words = texts.text(ability.route, refusal: ability.refusal?.code ?? "")
            if let limit = ability.limit { words += texts.upTo(AmountText.money(limit, currency)) }
            return "\(ability.tender.method): \(words)"
        }.joined(separator: "; ")
    }
}

extension TillObstacle {
    fileprivate static func optional(_ refusal: SaleRefusal?) -> TillObstacle? {
        refusal.flatMap { TillObstacle($0) }
    }
}
