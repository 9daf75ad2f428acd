import Base

internal import AgentAPI
internal import HubProtocol
internal import TerminalStore

/// In what condition the terminal's database is: the object `store` of the status.
struct StoreCondition {
    /// What is damaged in it; nil as far as it was read without finding any.
    let damage: String?
    /// The last time that it held less than the terminal had recorded; nil: never.
    let loss: JournalLoss?
    /// The report of the last repair; nil: there was none.
    let repair: JSONValue?
    /// Entries that are held back since their hash is not that of their content.
    let heldBack: Int

    /// The command that helps against damage.
    static let repairCommand = "pos repair"

    /// A loss and a repair are in the banner for a day and a finding of `pos doctor` for a week: who closes
    /// on Saturday reads it on Monday. Doubled, people would learn to look past it.
    private static let bannerTime: Int64 = 86_400_000
    private static let findingTime: Int64 = 7 * 86_400_000

    init(
        damage: String?, loss: JournalLoss? = nil, repair: JSONValue? = nil, heldBack: Int = 0
    ) {
        (self.damage, self.loss, self.repair, self.heldBack) = (damage, loss, repair, heldBack)
    }

    /// Reads what the database knows of itself; what cannot be read any more is nil.
    ///
    /// - Parameter isRunning: false: every entry of the outbox is looked at, since no drainer does.
    static func read(_ store: TerminalStores, isRunning: Bool) async -> StoreCondition {
        // Each look at a damaged database reads all of it first.
        if let damage = store.database.damage { return StoreCondition(damage: damage) }
        let loss = try? await store.facts.journalLoss()
        let repair = try? await store.facts.lastRepair()
        let held =
            isRunning ? store.outbox.heldBackCount : (try? await store.outbox.heldBack())?.count ?? 0
        return StoreCondition(
            damage: store.database.damage, loss: loss, repair: repair, heldBack: held)
    }

    /// What the banner says of it, the worst alone.
    func trouble(at now: Int64) -> Banner.Trouble? {
        if damage != nil { return .databaseDamaged }
        if let loss, now - loss.at < Self.bannerTime { return .journalIncomplete }
        return heldBack > 0 ? .entriesHeldBack(heldBack) : nil
    }

    static func isFinding(_ milliseconds: Int64?, at now: Int64) -> Bool {
        milliseconds.map { now - $0 < findingTime } ?? false
    }

    /// The object `store` of the status.
    var state: StoreState {
        StoreState(
            state: damage != nil ? "damaged" : loss != nil ? "incomplete" : "ok",
            detail: damage ?? loss?.message, command: damage == nil ? nil : Self.repairCommand,
            loss: loss?.json, repair: repair, heldBack: Int64(heldBack))
    }
}
