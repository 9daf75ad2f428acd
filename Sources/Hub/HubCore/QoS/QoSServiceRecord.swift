package import Base
package import OfflineCore

/// What is kept of a service over a restart, and what hubs on one database share of it.
package struct QoSServiceRecord: Hashable, Sendable {
    /// A scope that is not healthy.
    package struct Scope: Hashable, Sendable {
        /// One of `global`, `store` and `terminal`; with ``subject`` it is unique within a record.
        package let scope: ServiceDecision.Scope
        /// The store's or terminal's id; empty for the global scope.
        package let subject: String
        /// `faulty` or `recovering`; healthy scopes are not listed.
        package let state: ServiceDecision.State
        /// What decided: `reports`, `probe` or `operator`.
        package let source: ServiceDecision.Source
        /// One line for operators; terminals of the scope get it too.
        package let reason: String
        /// Nil where probes decided, and in what an earlier hub kept.
        package let evidence: QoSEvidence?
        /// When the state began, by the hub's monotonic clock; nil in what an earlier hub kept.
        package let since: Instant?

        /// Makes a scope; by default without evidence and beginning.
        package init(
            scope: ServiceDecision.Scope, subject: String, state: ServiceDecision.State,
            source: ServiceDecision.Source, reason: String, evidence: QoSEvidence? = nil,
            since: Instant? = nil
        ) {
            self.scope = scope
            self.subject = subject
            self.state = state
            self.source = source
            self.reason = reason
            self.evidence = evidence
            self.since = since
        }
    }

    /// The generation of the last change of a scope.
    package struct Change: Hashable, Sendable {
        /// The kind of scope that changed, healthy now or not.
        package let scope: ServiceDecision.Scope
        /// The store's or terminal's id; empty for the global scope.
        package let subject: String
        /// The service's generation from which on the scope has its present state.
        package let generation: Int64

        /// Makes the entry of one scope; a record has at most one for each scope.
        package init(scope: ServiceDecision.Scope, subject: String, generation: Int64) {
            self.scope = scope
            self.subject = subject
            self.generation = generation
        }
    }

    /// The service's name in `config/core-apis.json`, for example `"order"`.
    package let service: String
    /// The last generation of any scope; the store writes a record only over the generation that it was made
    /// from.
    package let generation: Int64
    /// By scope and subject, ``maximumScopes`` at most; more terminals at fault are found again.
    package let scopes: [Scope]
    /// The operator's decision in force; nil where the machine decides.
    package let override: QoSOverride?
    /// Operators' decisions for single stores, by the store's id, ``maximumScopes`` at most.
    package let storeOverrides: [String: QoSOverride]
    /// When each operator's decision was made, by the store's id, of the chain's by an empty one.
    package let overrideSince: [String: Instant]
    /// When the global scope became healthy last; nil in what an earlier hub kept.
    package let healthySince: Instant?
    /// The generation of scopes that ``changes`` does not name.
    package let floor: Int64
    /// By scope and subject, each scope at most once, healthy ones included.
    package let changes: [Change]

    /// The record is written with every change, some 300 bytes a scope. Half as many would forget terminals
    /// in a chain of a thousand shops; twice as many would write 600 kB at a time.
    package static let maximumScopes = 1_000

    /// Makes a record, by default without overrides of stores; both lists are sorted by scope and subject.
    package init(
        service: String, generation: Int64, scopes: [Scope], override: QoSOverride?,
        storeOverrides: [String: QoSOverride] = [:], overrideSince: [String: Instant] = [:],
        healthySince: Instant? = nil, floor: Int64, changes: [Change]
    ) {
        self.overrideSince = overrideSince
        self.healthySince = healthySince
        self.storeOverrides = storeOverrides
        self.service = service
        self.generation = generation
        self.scopes = scopes
        self.override = override
        self.floor = floor
        self.changes = changes
    }
}

/// What two hubs decided at once becomes one record.
extension QoSServiceRecord {
    /// This record, which could not be kept because another hub was first, together with what that one kept.
    ///
    /// A scope that only one of the two changed since `base` is as that one has it; a scope that both changed
    /// is as it was kept. Of two operators the later has priority, which is the one that comes second. Every
    /// scope in which the result differs from what one of the hubs may have responded gets a generation that
    /// is later than both.
    ///
    /// - Parameters:
    ///   - kept: what the database holds.
    ///   - base: what it held when both began.
    /// - Returns: what to go on with. It equals `kept` where nothing is to be written.
    package func merged(with kept: QoSServiceRecord, since base: QoSServiceRecord) -> QoSServiceRecord {
        let (mine, theirs, before) = (Table(self), Table(kept), Table(base))
        let next = max(generation, kept.generation) + 1
        var isNew = false
        var scopes: [QoSScope: Scope] = [:]
        var changes: [QoSScope: Int64] = [:]
        for scope in Set(mine.keys).union(theirs.keys).union(before.keys) {
            let isMine =
                mine.state(scope) != before.state(scope) && theirs.state(scope) == before.state(scope)
            let result = isMine ? mine : theirs
            scopes[scope] = result.scopes[scope]
            let latest = max(mine.change(scope), theirs.change(scope))
            let differs =
                result.state(scope) != theirs.state(scope)
                || (result.state(scope) != mine.state(scope) && mine.change(scope) >= theirs.change(scope))
            changes[scope] = differs ? next : latest
            isNew = isNew || differs || latest > theirs.change(scope)
        }
        let isMyHealth = mine.state(.global) != before.state(.global)
        var overrides: [QoSScope: QoSOverride] = [:]
        var overrideSince: [String: Instant] = [:]
        for scope in Set(overridden).union(kept.overridden).union(base.overridden) {
            let result = mergedOverride(in: scope, with: kept, since: base)
            overrides[scope] = result
            let isMine = QoSOverride.isSame(result, override(in: scope))
            if result != nil {
                overrideSince[scope.subject] = (isMine ? self : kept).overrideSince[scope.subject]
            }
            let differs =
                !QoSOverride.isSame(result, kept.override(in: scope))
                || (!QoSOverride.isSame(result, override(in: scope))
                    && mine.change(scope) >= theirs.change(scope))
            if differs { changes[scope] = next }
            isNew = isNew || differs
        }
        guard isNew || generation > kept.generation else { return kept }
        return QoSServiceRecord(
            service: service, generation: next,
            scopes: scopes.sorted { $0.key < $1.key }.map(\.value),
            override: overrides.removeValue(forKey: .global),
            storeOverrides: Dictionary(overrides.map { ($0.key.subject, $0.value) }) { _, last in last },
            overrideSince: overrideSince, healthySince: isMyHealth ? healthySince : kept.healthySince,
            floor: max(floor, kept.floor),
            changes: changes.sorted { $0.key < $1.key }.map {
                Change(scope: $0.key.scope, subject: $0.key.subject, generation: $0.value)
            })
    }

    private func mergedOverride(
        in scope: QoSScope, with kept: QoSServiceRecord, since base: QoSServiceRecord
    ) -> QoSOverride? {
        let (mine, theirs) = (override(in: scope), kept.override(in: scope))
        let before = base.override(in: scope)
        let isMine = !QoSOverride.isSame(mine, before)
        let isTheirs = !QoSOverride.isSame(theirs, before)
        // What ended here ended for a decision that is not there any more.
        return isMine && (!isTheirs || mine != nil) ? mine : theirs
    }

    /// The scopes with an operator's decision.
    private var overridden: [QoSScope] {
        (override == nil ? [] : [.global]) + storeOverrides.keys.map(QoSScope.store)
    }

    private func override(in scope: QoSScope) -> QoSOverride? {
        scope == .global ? override : storeOverrides[scope.subject]
    }

    /// A record by scope.
    private struct Table {
        let scopes: [QoSScope: Scope]
        private let changes: [QoSScope: Int64]
        private let floor: Int64

        init(_ record: QoSServiceRecord) {
            scopes = Dictionary(
                record.scopes.map { (QoSScope(scope: $0.scope, subject: $0.subject), $0) }
            ) { _, last in last }
            changes = Dictionary(
                record.changes.map { (QoSScope(scope: $0.scope, subject: $0.subject), $0.generation) }
            ) { max($0, $1) }
            floor = record.floor
        }

        var keys: [QoSScope] { Array(scopes.keys) + Array(changes.keys) }

        func state(_ scope: QoSScope) -> ServiceDecision.State { scopes[scope]?.state ?? .healthy }

        func change(_ scope: QoSScope) -> Int64 { max(floor, changes[scope] ?? 0) }
    }
}
