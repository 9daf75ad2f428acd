/// Something that a person should look at, most urgent first.
package struct Trouble: Hashable, Sendable {
    /// How urgent it is.
    package enum Level: Int, Hashable, Sendable, Comparable {
        case bad, warning, note

        /// In the order bad, warning, note.
        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is wrong; the pages have the words.
    package enum Kind: Hashable, Sendable {
        /// The hub's own store does not respond, since then.
        case storeAway(since: Int64)
        /// A service is faulty or recovering for the chain.
        case service(name: String, state: ServiceState, since: Int64, reason: String)
        /// A service is not healthy in some scopes.
        case scopes(service: String, stores: Int, terminals: Int)
        /// An override waits for a second operator.
        case proposal(OverrideSummary)
        /// Overrides are in force.
        case overrides(Int)
        /// Whole stores are offline or silent.
        case storesAway(Int)
        /// Terminals are offline or silent in stores of which others are reachable.
        case terminalsAway(Int)
        /// Mutations have waited for longer than an hour.
        case oldOutbox(terminals: Int, oldest: Int64)
        /// The hub refused mutations and nobody has decided on them, or terminals report that they still hold
        /// some.
        case refused(open: Int64, atTerminals: Int64)
        /// Entries that are missing between others of a journal that arrived.
        case gaps(terminals: Int64, entries: Int64)
        /// Terminals came back after a restore and wait for a confirmation.
        case unconfirmed(Int)
        /// Alarms that nobody has acknowledged.
        case alarms(Int64)
        /// Shifts whose sums are not those of the hub's journal.
        case disputedShifts(Int64)
        /// Cards that were taken offline and refused afterwards.
        case debts(Int64)
    }

    /// How urgent it is.
    package let level: Level
    package let kind: Kind

    /// An outbox that is older is worth a look: a shop that is offline for a lunch break is not.
    static let oldOutbox: Int64 = 3_600_000

    /// What is wrong now.
    ///
    /// - Parameters:
    ///   - storeAwaySince: since when the hub's store does not respond; nil while it does.
    ///   - records: what the hub's own records have open.
    package static func found(
        fleet: Fleet, services: [ServiceSummary], storeAwaySince: Int64?, records: RecordSummary
    ) -> [Trouble] {
        var found: [Trouble] = []
        if let storeAwaySince { found.append(Trouble(level: .bad, kind: .storeAway(since: storeAwaySince))) }
        found += services.flatMap(ofService)
        found += ofFleet(fleet)
        found += ofRecords(records, fleet)
        let overrides = services.reduce(0) { $0 + $1.overrides.count }
        if overrides > 0 { found.append(Trouble(level: .note, kind: .overrides(overrides))) }
        return found.enumerated().sorted { ($0.element.level, $0.offset) < ($1.element.level, $1.offset) }
            .map(\.element)
    }

    private static func ofRecords(_ records: RecordSummary, _ fleet: Fleet) -> [Trouble] {
        var found: [Trouble] = []
        if !records.missing.isEmpty {
            let entries = records.missing.values.reduce(0, +)
            found.append(
                Trouble(
                    level: .warning, kind: .gaps(terminals: Int64(records.missing.count), entries: entries)))
        }
        if records.alarms > 0 { found.append(Trouble(level: .warning, kind: .alarms(records.alarms))) }
        let held = fleet.stores.reduce(0) { $0 + $1.refused }
        if records.refusals + held > 0 {
            found.append(
                Trouble(level: .warning, kind: .refused(open: records.refusals, atTerminals: held)))
        }
        if records.debts > 0 { found.append(Trouble(level: .warning, kind: .debts(records.debts))) }
        if records.disputedShifts > 0 {
            found.append(Trouble(level: .warning, kind: .disputedShifts(records.disputedShifts)))
        }
        return found
    }

    private static func ofService(_ service: ServiceSummary) -> [Trouble] {
        var found: [Trouble] = []
        if service.state != .healthy {
            found.append(
                Trouble(
                    level: service.state == .faulty ? .bad : .warning,
                    kind: .service(
                        name: service.name, state: service.state, since: service.since,
                        reason: service.reason ?? "")))
        }
        let stores = service.scopes.count { $0.scope == "store" }
        let terminals = service.scopes.count { $0.scope == "terminal" }
        if stores + terminals > 0 {
            found.append(
                Trouble(
                    level: .warning,
                    kind: .scopes(service: service.name, stores: stores, terminals: terminals)))
        }
        if let proposal = service.proposal {
            found.append(Trouble(level: .warning, kind: .proposal(proposal)))
        }
        return found
    }

    private static func ofFleet(_ fleet: Fleet) -> [Trouble] {
        var found: [Trouble] = []
        let away = fleet.stores.count(where: \.isAway)
        if away > 0 { found.append(Trouble(level: .bad, kind: .storesAway(away))) }
        let others = fleet.stores.reduce(0) { $0 + ($1.isAway ? 0 : $1.away) }
        if others > 0 { found.append(Trouble(level: .warning, kind: .terminalsAway(others))) }
        let active = fleet.terminals.filter { $0.revokedAt == nil }
        let ages = active.compactMap { $0.oldestAge(at: fleet.at) }.filter { $0 > oldOutbox }
        if let oldest = ages.max() {
            found.append(Trouble(level: .warning, kind: .oldOutbox(terminals: ages.count, oldest: oldest)))
        }
        let unconfirmed = active.count(where: \.isUnconfirmed)
        if unconfirmed > 0 { found.append(Trouble(level: .warning, kind: .unconfirmed(unconfirmed))) }
        return found
    }
}
