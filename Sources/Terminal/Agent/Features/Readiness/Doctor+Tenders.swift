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
