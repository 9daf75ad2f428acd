import Base

internal import AgentAPI
internal import MachineRuntime
internal import Retail
internal import TerminalStore

/// What an outage leaves of cashiers, members and offers: what the last pull brought.
extension Doctor {
    func copyChecks() async -> [DoctorCall.Check] {
        guard let counts = try? await store.copy.counts() else {
            return [
                check(
                    "PINs", false, "the copy of people and offers cannot be read",
                    fix: "end the agent, then `pos repair`")
            ]
        }
        let newest = (try? await store.copy.newestChanges()) ?? [:]
        return [
            pins(counts), pinCosts(counts), members(counts, newest), await leases(),
            offers(counts, newest), copy("prices", of: ["product", "price"], newest),
            copy("store configuration", of: ["storeConfig"], newest),
        ]
    }

    /// How old a copy is, and when what it holds last changed at the hub, where the copy knows that.
    private func copy(_ name: String, of entities: [String], _ newest: [String: Int64]) -> DoctorCall.Check {
        guard let age = copyAge else {
            return check(name, false, "no copy yet", fix: Self.copyFix)
        }
        return check(
            name, age < Self.oldPull,
            "as of \(AgeText.text(milliseconds: age)) ago" + changed(entities, newest),
            fix: Self.copyFix, age: age)
    }

    private func changed(_ entities: [String], _ newest: [String: Int64]) -> String {
        guard let last = entities.compactMap({ newest[$0] }).max() else { return "" }
        return "; last changed \(AgeText.text(milliseconds: max(0, time.wallMilliseconds() - last))) ago"
    }

    private static let copyFix = "`pos sync now`"
    private static let cashierFix = "`pos-hub import cashiers FILE.csv` at the hub, then `pos sync now`"

    private func pins(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        guard counts.cashiers > 0 else {
            return note("PINs", "no cashiers: sales ask for none", age: copyAge)
        }
        guard counts.unreadableCashiers == 0 else {
            return check(
                "PINs", false,
                "\(counts.unreadableCashiers) of \(counts.cashiers) cashiers have no PIN that can be checked here; "
                    + "update this terminal, or import them again at the hub", fix: Self.cashierFix,
                age: copyAge)
        }
        return note("PINs", "of \(counts.cashiers) cashiers; they can sell without the hub", age: copyAge)
    }

    /// The most ids that are listed; whoever has more imports them all.
    private static let listed = 50

    private func pinCosts(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        let cheap = counts.cheapCashiers
        guard !cheap.isEmpty else { return note("PIN cost", "no PIN is kept at the cost of before") }
        let more = cheap.count > Self.listed ? " and \(cheap.count - Self.listed) more" : ""
        return note(
            "PIN cost",
            "warning: \(cheap.count) PINs are kept at the cost of before until they are imported again: "
                + cheap.prefix(Self.listed).joined(separator: ", ") + more)
    }

    private func members(_ counts: FeedCopyCounts, _ newest: [String: Int64]) -> DoctorCall.Check {
        note(
            "members",
            counts.members == 0
                ? "none: a member's id is taken down as typed"
                : "\(counts.members) are known without the hub" + changed(["member"], newest), age: copyAge)
    }

    /// What nobody else can spend while this terminal has it, which is what its loss costs at most.
    private func leases() async -> DoctorCall.Check {
        let held = (try? await store.leases.exposure(at: hubClock.hubMilliseconds())) ?? []
        guard !held.isEmpty else { return note("leases", "none: without the hub no points are spent here") }
        let sums = held.map { "\($0.left) \($0.kind) of \($0.leases) leases" }.joined(separator: ", ")
        let until = Timestamp.text(milliseconds: held.map(\.until).max() ?? 0)
        return note(
            "leases",
            "\(sums) can be spent without the hub until \(until); if this terminal never returns, they are "
                + "what is lost at most")
    }

    private func offers(_ counts: FeedCopyCounts, _ newest: [String: Int64]) -> DoctorCall.Check {
        guard counts.promotions > 0 else { return note("offers", "no promotions", age: copyAge) }
        let age = copyAge ?? .max
        return check(
            "offers", age < Self.oldPull,
            "\(counts.offlinePromotions) of \(counts.promotions) "
                + "\(counts.promotions == 1 ? "promotion" : "promotions") hold without the hub; "
                + "\(counts.coupons) coupons are known" + changed(["promotion", "coupon"], newest),
            fix: Self.copyFix, age: copyAge)
    }
}
