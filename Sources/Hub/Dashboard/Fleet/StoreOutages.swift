/// The offline periods of one store: what all its terminals share is one period of the store, and what only
/// some of them have is theirs.
package struct StoreOutages: Sendable {
    /// Whose row it is.
    package enum Subject: Hashable, Sendable {
        /// Every terminal of the store.
        case store(String)
        case terminal(String)
    }

    /// A row of a timeline, and of the list below it.
    package struct Row: Sendable {
        package let subject: Subject
        /// The newest first.
        package let periods: [OfflinePeriod]
        /// Before that nothing is known, in milliseconds since 1970.
        package let knownSince: Int64
        /// How many terminals it is of.
        package let terminals: Int

        /// Whether it is of every terminal of its store.
        var isOfStore: Bool {
            switch subject {
            case .store: true
            case .terminal: false
            }
        }
    }

    /// The store's own first; none without a period.
    package let rows: [Row]

    /// A terminal that goes earlier or comes back later by as much still shares the outage of its store: as
    /// long as one may be silent before anybody notices.
    private static let tolerance = Fleet.silence

    /// - Parameters:
    ///   - terminals: all of the store that have access; at least one.
    ///   - begin: what ended before is left out, in milliseconds since 1970.
    package init(of terminals: [FleetTerminal], since begin: Int64, at now: Int64) {
        // A spare one that never reported shares no outage and hides none.
        let terminals = terminals.filter { $0.mode(at: now) != .waiting }
        let periods = terminals.map { terminal in
            terminal.periods(at: now).filter { ($0.end ?? now) > begin }
        }
        var shared = periods.first ?? []
        for more in periods.dropFirst() where !shared.isEmpty { shared = Self.common(shared, more) }
        var rows: [Row] = []
        if let store = terminals.first?.storeId, !shared.isEmpty {
            rows.append(
                Row(
                    subject: .store(store), periods: shared.sorted { $0.start > $1.start },
                    knownSince: terminals.map(\.knownSince).max() ?? 0, terminals: terminals.count))
        }
        for (terminal, periods) in zip(terminals, periods) {
            let own = periods.filter { period in
                !shared.contains { Self.isPart(period, of: $0, at: now) }
            }
            guard !own.isEmpty else { continue }
            rows.append(
                Row(
                    subject: .terminal(terminal.id), periods: own, knownSince: terminal.knownSince,
                    terminals: 1))
        }
        self.rows = rows
    }

    /// When both lists have a period, for the causes of both.
    private static func common(_ one: [OfflinePeriod], _ other: [OfflinePeriod]) -> [OfflinePeriod] {
        var common: [OfflinePeriod] = []
        for first in one {
            for second in other {
                let start = max(first.start, second.start)
                let end = first.end.map { min($0, second.end ?? $0) } ?? second.end
                if let end, end <= start { continue }
                var causes = first.causes
                causes.add(second.causes)
                common.append(OfflinePeriod(start: start, end: end, causes: causes))
            }
        }
        return common
    }

    private static func isPart(_ period: OfflinePeriod, of shared: OfflinePeriod, at now: Int64) -> Bool {
        period.start <= shared.start && shared.start - period.start <= tolerance
            && (period.end ?? now) >= (shared.end ?? now)
            && (period.end ?? now) - (shared.end ?? now) <= tolerance
    }
}

extension Fleet {
    /// The outages of every store that ended after `begin`, by store.
    func outages(since begin: Int64) -> [StoreOutages] {
        var found: [StoreOutages] = []
        // Terminals are in the order of their stores.
        var rest = terminals[...]
        while let store = rest.first?.storeId {
            let ofStore = rest.prefix { $0.storeId == store }
            rest = rest.dropFirst(ofStore.count)
            let active = ofStore.filter { $0.revokedAt == nil }
            if !active.isEmpty { found.append(StoreOutages(of: active, since: begin, at: at)) }
        }
        return found
    }
}
