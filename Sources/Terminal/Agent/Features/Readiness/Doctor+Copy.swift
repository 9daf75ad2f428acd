internal import AgentAPI
internal import HubProtocol
internal import TerminalStore

/// What an outage leaves of cashiers, members and offers: what the last pull brought.
extension Doctor {
    func copyChecks() async -> [DoctorCall.Check] {
        guard let counts = try? await store.copy.counts() else {
            return [check("PINs", false, "the copy of people and offers cannot be read")]
        }
        return [pins(counts), pinCosts(counts), members(counts), offers(counts)]
    }

    private func pins(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        guard counts.cashiers > 0 else { return check("PINs", true, "no cashiers: sales ask for none") }
        guard counts.unreadableCashiers == 0 else {
            return check(
                "PINs", false,
                "\(counts.unreadableCashiers) of \(counts.cashiers) cashiers have no PIN that can be checked here; "
                    + "update this terminal, or import them again at the hub")
        }
        return check("PINs", true, "of \(counts.cashiers) cashiers; they can sell without the hub")
    }

    /// The most ids that are listed; whoever has more imports them all.
    private static let listed = 50

    private func pinCosts(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        let cheap = counts.cheapCashiers
        guard !cheap.isEmpty else { return check("PIN cost", true, "no PIN is kept at the cost of before") }
        let more = cheap.count > Self.listed ? " and \(cheap.count - Self.listed) more" : ""
        return check(
            "PIN cost", true,
            "warning: \(cheap.count) PINs are kept at the cost of before until they are imported again: "
                + cheap.prefix(Self.listed).joined(separator: ", ") + more)
    }

    private func members(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        check(
            "members", true,
            counts.members == 0
                ? "none: a member's id is taken down as typed" : "\(counts.members) are known without the hub"
        )
    }

    private func offers(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        check(
            "offers", true,
            counts.promotions == 0
                ? "no promotions"
                : "\(counts.offlinePromotions) of \(counts.promotions) promotions hold without the hub; "
                    + "\(counts.coupons) coupons are known")
    }
}
