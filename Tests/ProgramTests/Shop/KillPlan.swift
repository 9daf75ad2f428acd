import Base

/// One round of a seeded run: what is sold, what is killed, when, and which responses are cut.
struct KillPlan {
    enum Victim: CaseIterable {
        case till
        case hub
        case both

        var hitsTill: Bool { self != .hub }
        var hitsHub: Bool { self != .till }
    }

    let victim: Victim
    let sales: Int
    /// The till waits until the hub decides on cards, and half of the sales are paid by card.
    let isByCard: Bool
    /// The sales pile up first and leave in batches; otherwise each is pushed by itself.
    let pilesUp: Bool
    /// Every response of the hub ends after so many bytes; nil lets them through.
    let cutAfterBytes: Int?
    /// From the first push, or the first sale, to the kill.
    let milliseconds: Int64
    /// Whether the till is back before the hub.
    let tillIsBackFirst: Bool

    init(from random: inout SplitMix64) {
        victim = Victim.allCases[Int(random.below(UInt64(Victim.allCases.count)))]
        // Such a round takes a second longer: with every third one so, a run would take a third longer.
        isByCard = random.below(6) == 0
        pilesUp = random.below(3) > 0 && !isByCard
        sales = 4 + Int(random.below(pilesUp ? 40 : 12))
        cutAfterBytes = random.below(3) == 0 ? Int(random.below(700)) : nil
        milliseconds = Int64(random.below(160))
        tillIsBackFirst = random.below(2) == 0
    }
}
