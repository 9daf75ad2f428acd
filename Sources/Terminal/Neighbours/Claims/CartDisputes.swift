internal import Base
internal import HubProtocol

/// What tills write of carts that they did not have, as far as it is to be seen: it changes nothing, and a
/// person hears who wrote it.
struct CartDisputes: Hashable, Sendable {
    /// Since when a till says that it has a cart by a grant that is not known, by the carts and the makers.
    private var unproven: [String: [String: Instant]] = [:]
    private(set) var deadline: Instant?

    /// Looks at the carts of which the notes say something else than before.
    mutating func follow(_ notes: StoreNotes, after before: StoreNotes, at now: Instant) -> [ClaimAlarm] {
        var alarms: Set<ClaimAlarm> = []
        for cart in notes.carts(changedSince: before) {
            let owners = CartOwners(of: cart, in: notes.states)
            guard let owner = owners.first.first else { continue }
            if owners.first.count > 1 { alarms.insert(.disputed(tills: owners.first)) }
            let known = unproven.removeValue(forKey: cart) ?? [:]
            for stranger in owners.strangers {
                if stranger.isFirst {
                    alarms.insert(.foreignCart(maker: stranger.maker, owner: owner))
                } else {
                    unproven[cart, default: [:]][stranger.maker] = known[stranger.maker] ?? now
                }
            }
        }
        alarms.formUnion(notes.copiers.map { .tooManyCopies(maker: $0) })
        alarms.formUnion(ripe(at: now))
        return alarms.sorted { "\($0)" < "\($1)" }
    }

    /// What has been unproven for ``NeighbourLimits/proofWait``.
    mutating func ripe(at now: Instant) -> Set<ClaimAlarm> {
        var alarms: Set<ClaimAlarm> = []
        for (cart, makers) in unproven {
            let left = makers.filter { now < $0.value + NeighbourLimits.proofWait }
            for maker in makers.keys where left[maker] == nil { alarms.insert(.unproven(maker: maker)) }
            unproven[cart] = left.isEmpty ? nil : left
        }
        deadline = unproven.values.flatMap(\.values).min().map { $0 + NeighbourLimits.proofWait }
        return alarms
    }
}
