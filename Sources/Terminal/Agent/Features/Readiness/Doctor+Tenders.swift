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
                "tenders", stop == nil, stop.map(\.message) ?? Self.words(now, currency),
                fix: TillObstacle.optional(stop)?.command.map { "`\($0)`" } ?? "`pos status` has the reason"),
            note("tenders in an outage", Self.words(await checkout.abilitiesInOutage(), currency)),
        ]
    }

    private static func words(_ abilities: TillAbilities, _ currency: String) -> String {
        abilities.tenders.map { ability in
            var words = "\(ability.tender.method): "
            switch ability.route {
            case .hub: words += "by the hub"
            case .machine: words += "by the till's own card machine"
            case .stored: words += "stored, forwarded later"
            case .local: words += "here"
            case .refused: words += "refused (\(ability.refusal?.code ?? ""))"
            }
            if let limit = ability.limit { words += ", up to \(AmountText.money(limit, currency))" }
            return words
        }.joined(separator: "; ")
    }
}

extension TillObstacle {
    fileprivate static func optional(_ refusal: SaleRefusal?) -> TillObstacle? {
        refusal.flatMap { TillObstacle($0) }
    }
}
