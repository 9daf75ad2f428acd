/// All terminals of a hub at one moment, with what pages and figures count of them.
package struct Fleet: Sendable {
    /// When the hub read this, in milliseconds since 1970.
    package private(set) var at: Int64
    /// By store and number; revoked ones too.
    package let terminals: [FleetTerminal]
    /// By id; a store whose terminals are all revoked is left out.
    package let stores: [FleetStore]
    /// How many terminals are in each mode.
    package let modes: [FleetMode: Int]
    /// ``RecordSummary/missing``, as it was read with the terminals.
    package var missing: [String: Int64] = [:]
    /// When the first of them was enrolled, in milliseconds since 1970; nil without any.
    package let firstEnrolledAt: Int64?
    private let places: [String: Int]
    /// The first moment at which another one is silent, while nothing comes from any.
    private let nextSilence: Int64

    /// Without a sign of life for so long a terminal counts as silent: telemetry comes every five minutes,
    /// so three of them are missing. With half of it a restart of a router is an alarm at 300 stores.
    package static let silence: Int64 = 15 * 60_000

    /// Sorts and counts.
    package init(_ terminals: [FleetTerminal], at now: Int64) {
        at = now
        self.terminals = terminals.sorted { ($0.storeId, $0.number) < ($1.storeId, $1.number) }
        places = Dictionary(self.terminals.enumerated().map { ($0.element.id, $0.offset) }) { one, _ in one }
        var modes: [FleetMode: Int] = [:]
        var stores: [FleetStore] = []
        var (firstEnrolledAt, nextSilence) = (Int64.max, Int64.max)
        for terminal in self.terminals {
            let mode = terminal.mode(at: now)
            modes[mode, default: 0] += 1
            firstEnrolledAt = min(firstEnrolledAt, terminal.enrolledAt)
            if let silence = terminal.silentFrom, silence > now { nextSilence = min(nextSilence, silence) }
            guard mode != .revoked else { continue }
            if stores.last?.id != terminal.storeId { stores.append(FleetStore(id: terminal.storeId)) }
            stores[stores.count - 1].add(terminal, mode, at: now)
        }
        self.modes = modes
        self.stores = stores
        self.firstEnrolledAt = self.terminals.isEmpty ? nil : firstEnrolledAt
        self.nextSilence = nextSilence
    }

    /// The same terminals at another moment, of which nothing came since. They are counted again only where
    /// one is silent by then: with ten thousand of them that costs milliseconds.
    package func moved(to now: Int64) -> Fleet {
        guard now >= at, now < nextSilence else { return Fleet(terminals, at: now) }
        var fleet = self
        fleet.at = now
        return fleet
    }

    package func terminal(_ id: String) -> FleetTerminal? { places[id].map { terminals[$0] } }

    /// How many terminals are in a mode.
    package func count(_ mode: FleetMode) -> Int { modes[mode] ?? 0 }

    /// Terminals that have access.
    package var active: Int { terminals.count - count(.revoked) }
}

/// A store, as the sum of its terminals.
package struct FleetStore: Hashable, Sendable {
    package let id: String
    /// Terminals that have access.
    package private(set) var terminals = 0
    /// Those that are offline or silent.
    package private(set) var away = 0
    /// Those that never reported: spare ones, which say nothing about their store.
    private var waiting = 0
    /// Mutations without a result.
    package private(set) var pending: Int64 = 0
    /// Since when the oldest of them waits, in milliseconds since 1970; nil without one.
    private var oldestSince: Int64?
    /// Mutations that a person has to look at.
    package private(set) var refused: Int64 = 0
    /// When anything came from the store last, in milliseconds since 1970.
    package private(set) var lastContact: Int64?
    /// When the last of its terminals went that are away, in milliseconds since 1970; nil where nobody knows.
    package private(set) var awaySince: Int64?
    /// Why they are away; ``OutageCauses/silent`` where a terminal did not say.
    package private(set) var causes = OutageCauses([])

    init(id: String) { self.id = id }

    mutating func add(_ terminal: FleetTerminal, _ mode: FleetMode, at now: Int64) {
        terminals += 1
        if mode == .offline || mode == .silent {
            away += 1
            if let since = terminal.since(at: now) { awaySince = max(awaySince ?? since, since) }
            causes.add(terminal.causes(at: now))
        }
        if mode == .waiting { waiting += 1 }
        pending += terminal.report?.pending ?? 0
        refused += (terminal.report?.rejected ?? 0) + (terminal.report?.conflicted ?? 0)
        if let since = terminal.oldestSince { oldestSince = min(oldestSince ?? since, since) }
        if let contact = terminal.lastContact { lastContact = max(lastContact ?? contact, contact) }
    }

    /// The age of the oldest mutation without a result at `now`, in milliseconds; nil without one.
    package func oldestAge(at now: Int64) -> Int64? { oldestSince.map { max(0, now - $0) } }

    /// Whether none of its terminals can be reached that ever reported.
    package var isAway: Bool { away > 0 && away + waiting == terminals }

    /// Whether more of them are away than can be reached: one that goes on through a line of its own does not
    /// hide the outage of the others.
    package var isMostlyAway: Bool { 2 * away > terminals - waiting }
}

extension Fleet {
    /// The stores of which no terminal can be reached, the worst first.
    package var storesAway: [FleetStore] { worstFirst(stores.filter(\.isAway)) }

    /// Where sales wait for the longest time comes first, and without any who is away for the longest.
    package func worstFirst(_ stores: [FleetStore]) -> [FleetStore] {
        stores.sorted { one, other in
            (other.oldestAge(at: at) ?? 0, one.awaySince ?? at, one.id)
                < (one.oldestAge(at: at) ?? 0, other.awaySince ?? at, other.id)
        }
    }

    fileprivate func has(_ concern: FleetQuery.Concern, _ terminal: FleetTerminal) -> Bool {
        switch concern {
        case .missing: missing[terminal.id] != nil
        case .refused: (terminal.report.map { $0.rejected + $0.conflicted } ?? 0) > 0
        case .unconfirmed: terminal.isUnconfirmed
        }
    }

    /// The terminals of one store that have access, by number.
    package func terminals(of store: String) -> [FleetTerminal] {
        terminals.filter { $0.storeId == store && $0.revokedAt == nil }
    }
}

/// What a list of terminals or stores shows: search, filter, order and page.
package struct FleetQuery: Hashable, Sendable {
    /// How a list is sorted.
    package enum Order: String, Hashable, Sendable, CaseIterable {
        case store, mode, contact, outbox, version
    }

    /// Terminals with something that a person should look at.
    package enum Concern: String, Hashable, Sendable, CaseIterable {
        /// Entries of its journal are missing at the hub.
        case missing
        /// It holds mutations that the hub refused.
        case refused
        /// It waits for an operator's confirmation.
        case unconfirmed
    }

    /// Every word of it has to occur in store, number, name, id or version.
    package var text = ""
    /// Exactly this store.
    package var store = ""
    /// Exactly this mode; nil for all but revoked terminals.
    package var mode: FleetMode?
    /// Those alone with this; nil for all.
    package var concern: Concern?
    /// By what the list is sorted.
    package var order = Order.store
    /// From 1.
    package var page = 1

    /// Rows of one page.
    package static let pageSize = 100

    package init() {}

    /// The terminals that fit, in their order.
    package func terminals(of fleet: Fleet) -> [FleetTerminal] {
        let words = text.lowercased().split(separator: " ").map { Array($0.utf8) }
        let found = fleet.terminals.filter { terminal in
            guard store.isEmpty || terminal.storeId == store else { return false }
            guard words.allSatisfy({ terminal.searched.holds($0) }) else { return false }
            guard concern.map({ fleet.has($0, terminal) }) ?? true else { return false }
            let mode = terminal.mode(at: fleet.at)
            return self.mode.map { $0 == mode } ?? (mode != .revoked)
        }
        return sorted(found, at: fleet.at)
    }

    private func sorted(_ terminals: [FleetTerminal], at now: Int64) -> [FleetTerminal] {
        func sorted<Key: Comparable>(_ key: (FleetTerminal) -> Key) -> [FleetTerminal] {
            // Stable, so that equals stay by store and number.
            terminals.enumerated().map { (key($0.element), $0.offset) }
                .sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }.map { terminals[$0.1] }
        }
        return switch order {
        case .store: terminals
        case .mode: sorted { $0.mode(at: now).rank }
        case .contact: sorted { $0.lastContact ?? 0 }
        case .outbox: sorted { -($0.oldestAge(at: now) ?? -1) }
        case .version: sorted { $0.report?.version ?? "" }
        }
    }
}

extension String {
    /// Whether the bytes occur in this text; ten thousand of them are looked through for one page.
    fileprivate func holds(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return true }
        var text = self
        return text.withUTF8 { text in
            guard text.count >= bytes.count else { return false }
            return (0...(text.count - bytes.count)).contains { start in
                text[start] == bytes[0] && bytes.indices.allSatisfy { text[start + $0] == bytes[$0] }
            }
        }
    }
}
