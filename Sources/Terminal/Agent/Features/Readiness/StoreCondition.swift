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
    /// The command with which a person acknowledges what was lost.
    static let seenCommand = "pos repair --seen"

    /// The losses that a person has acknowledged: when the one and the other were noticed.
    let seen: SeenLosses

    init(
        damage: String?, loss: JournalLoss? = nil, repair: JSONValue? = nil, heldBack: Int = 0,
        seen: SeenLosses = SeenLosses()
    ) {
        (self.damage, self.loss, self.repair, self.heldBack) = (damage, loss, repair, heldBack)
        self.seen = seen
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
        let seen = await SeenLosses.read(store.facts)
        return StoreCondition(
            damage: store.database.damage, loss: loss, repair: repair, heldBack: held, seen: seen)
    }

    /// The loss that nobody has acknowledged; nil: there is none.
    var openLoss: JournalLoss? {
        loss.flatMap { seen.includes($0) ? nil : $0 }
    }

    /// The repair that lost entries and that nobody has acknowledged; nil: there is none.
    var openRepair: RepairReport? {
        guard let report = repair.flatMap({ try? RepairReport(json: $0) }), report.lostCount > 0,
            report.at != seen.repair
        else { return nil }
        return report
    }

    /// A person has compared the receipts: what was lost so far is no finding any more.
    ///
    /// - Returns: what was acknowledged now.
    static func acknowledge(_ store: TerminalStores) async throws(TerminalError) -> StoreCondition {
        let condition = await read(store, isRunning: true)
        if let damage = condition.damage {
            throw TerminalError(.unusable, code: "database_damaged") { $0.databaseDamaged(damage) }
        }
        let now = SeenLosses(
            loss: condition.loss.map { Timestamp.text(milliseconds: $0.at) },
            repair: condition.repair.flatMap { try? RepairReport(json: $0) }?.at)
        do {
            try await store.facts.keep(now.fact, as: SeenLosses.factName)
        } catch {
            throw TerminalError(.notDurable, code: "store_unavailable") { $0.nothingChanged("\(error)") }
        }
        return condition
    }

    /// What the banner says of it, the worst alone.
    var trouble: Banner.Trouble? {
        if damage != nil { return .databaseDamaged }
        if isIncomplete { return .journalIncomplete }
        return heldBack > 0 ? .entriesHeldBack(heldBack) : nil
    }

    private var isIncomplete: Bool { openLoss != nil || openRepair != nil }

    /// What was lost and nobody has acknowledged; nil: nothing.
    func loss(in language: Language) -> String? {
        openLoss.map(language.doctorTexts.text) ?? openRepair.map(language.doctorTexts.text)
    }

    /// The object `store` of the status.
    var state: StoreState {
        StoreState(
            state: damage != nil ? "damaged" : isIncomplete ? "incomplete" : "ok",
            detail: damage ?? loss(in: .english),
            command: damage != nil ? Self.repairCommand : isIncomplete ? Self.seenCommand : nil,
            loss: loss?.json, repair: repair, heldBack: Int64(heldBack))
    }
}

/// Which losses a person has acknowledged, as a fact of the database keeps it: by when they were noticed, so
/// that a later one counts again.
struct SeenLosses: Hashable {
    /// RFC 3339; nil: none.
    var loss: String?
    /// RFC 3339; nil: none.
    var repair: String?

    static let factName = "lossesSeen"
    private static let nothing: Character = "-"

    init(loss: String? = nil, repair: String? = nil) {
        (self.loss, self.repair) = (loss, repair)
    }

    init(fact: String?) {
        let words = (fact ?? "").split(separator: " ").map { $0 == String(Self.nothing) ? nil : String($0) }
        (loss, repair) = words.count == 2 ? (words[0], words[1]) : (nil, nil)
    }

    /// What cannot be read counts as not acknowledged.
    static func read(_ facts: SQLiteTerminalFacts) async -> SeenLosses {
        SeenLosses(fact: (try? await facts.fact(factName)) ?? nil)
    }

    func includes(_ other: JournalLoss) -> Bool { loss == Timestamp.text(milliseconds: other.at) }

    var fact: String { "\(loss ?? String(Self.nothing)) \(repair ?? String(Self.nothing))" }
}
