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
                check("PINs", false, texts.copyUnreadable, fix: texts.repair)
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
            return check(name, false, texts.noCopy, fix: Self.copyFix)
        }
        return check(
            name, age < Self.oldPull,
            texts.copied(age) + changed(entities, newest),
            fix: Self.copyFix, age: age)
    }

    private func changed(_ entities: [String], _ newest: [String: Int64]) -> String {
        guard let last = entities.compactMap({ newest[$0] }).max() else { return "" }
        return texts.changed(max(0, time.wallMilliseconds() - last))
    }

    private static let copyFix = "`pos sync now`"

    private func pins(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        guard counts.cashiers > 0 else {
            return note("PINs", texts.noCashiers, age: copyAge)
        }
        guard counts.unreadableCashiers == 0 else {
            return check(
                "PINs", false, texts.pinsUnreadable(counts.unreadableCashiers, of: counts.cashiers),
                fix: texts.importCashiers, age: copyAge)
        }
        return note("PINs", texts.pins(counts.cashiers), age: copyAge)
    }

    /// The most ids that are listed; whoever has more imports them all.
    private static let listed = 50

    private func pinCosts(_ counts: FeedCopyCounts) -> DoctorCall.Check {
        let cheap = counts.cheapCashiers
        guard !cheap.isEmpty else { return note("PIN cost", texts.noCheapPINs) }
        return note(
            "PIN cost",
            texts.cheapPINs(
                cheap.count, cheap.prefix(Self.listed).joined(separator: ", "),
                more: max(0, cheap.count - Self.listed)))
    }

    private func members(_ counts: FeedCopyCounts, _ newest: [String: Int64]) -> DoctorCall.Check {
        note(
            "members",
            texts.members(counts.members) + (counts.members == 0 ? "" : changed(["member"], newest)),
            age: copyAge)
    }

    /// What nobody else can spend while this terminal has it, which is what its loss costs at most.
    private func leases() async -> DoctorCall.Check {
        let held = (try? await store.leases.exposure(at: hubClock.hubMilliseconds())) ?? []
        guard !held.isEmpty else { return note("leases", texts.noLeases) }
        let sums = held.map { texts.lease($0.left, $0.kind, of: $0.leases) }.joined(separator: ", ")
        let until = Timestamp.text(milliseconds: held.map(\.until).max() ?? 0)
        return note("leases", texts.leases(sums, until: until))
    }

    private func offers(_ counts: FeedCopyCounts, _ newest: [String: Int64]) -> DoctorCall.Check {
        guard counts.promotions > 0 else { return note("offers", texts.noOffers, age: copyAge) }
        let age = copyAge ?? .max
        return check(
            "offers", age < Self.oldPull,
            texts.offers(counts) + changed(["promotion", "coupon"], newest),
            fix: Self.copyFix, age: copyAge)
    }
}
