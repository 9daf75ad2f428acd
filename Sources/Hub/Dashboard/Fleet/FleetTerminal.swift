internal import HubProtocol

/// How a terminal does, as the hub sees it.
package enum FleetMode: String, Hashable, Sendable, CaseIterable {
    /// It reports that it is offline now.
    case offline
    /// Nothing came from it for longer than ``Fleet/silence``.
    case silent
    /// It reports a path that is not good.
    case degraded
    case online
    /// It was enrolled and never reported.
    case waiting
    /// An operator took its access back.
    case revoked

    /// The worst first, as lists are sorted.
    var rank: Int {
        switch self {
        case .offline: 0
        case .silent: 1
        case .degraded: 2
        case .waiting: 3
        case .online: 4
        case .revoked: 5
        }
    }
}

/// A time in which a terminal was offline; times are milliseconds since 1970.
package struct OfflinePeriod: Hashable, Sendable {
    /// When it began.
    package let start: Int64
    /// Nil while it lasts.
    package let end: Int64?
    package let causes: OutageCauses

    package init(start: Int64, end: Int64?, causes: OutageCauses) {
        self.start = start
        self.end = end
        self.causes = causes
    }
}

/// A terminal with its last report; times are milliseconds since 1970.
package struct FleetTerminal: Hashable, Sendable {
    /// What its last report says.
    package struct Report: Hashable, Sendable {
        /// When the hub received it.
        package let at: Int64
        /// The terminal's word for its connection, for example `online` or `degraded`.
        package let connectivity: String
        /// Mutations without a result.
        package let pending: Int64
        /// Of those, how many have a copy at another terminal; nil: they make none.
        package let copied: Int64?
        /// Age of the oldest of them at ``at``, in milliseconds; nil without one.
        package let oldestAge: Int64?
        /// Mutations that the hub rejected and nobody has resolved.
        package let rejected: Int64
        /// Mutations with a conflict that nobody has resolved.
        package let conflicted: Int64
        /// The version of `pos`.
        package let version: String
        /// For example `Debian 12`.
        package let system: String
        /// Thousandths of its pushes that were successful; nil before the first.
        package let successPerMille: Int64?
        /// The newest first.
        package let periods: [OfflinePeriod]

        package init(
            at: Int64, connectivity: String, pending: Int64, oldestAge: Int64?, rejected: Int64,
            conflicted: Int64, version: String, system: String, successPerMille: Int64?,
            periods: [OfflinePeriod], copied: Int64? = nil
        ) {
            self.copied = copied
            self.at = at
            self.connectivity = connectivity
            self.pending = pending
            self.oldestAge = oldestAge
            self.rejected = rejected
            self.conflicted = conflicted
            self.version = version
            self.system = system
            self.successPerMille = successPerMille
            self.periods = periods
        }
    }

    /// A ULID.
    package let id: String
    /// The store that it was enrolled for.
    package let storeId: String
    /// Unique within the store.
    package let number: Int64
    /// The text that it gave itself.
    package let name: String
    /// When it was enrolled.
    package let enrolledAt: Int64
    /// When its access was taken back; nil while it has it.
    package let revokedAt: Int64?
    /// Whether it waits for an operator's confirmation.
    package let isUnconfirmed: Bool
    /// Nil before the first.
    package let report: Report?
    /// When anything came from it last; nil for one that never spoke.
    package let lastContact: Int64?
    /// The offline period that lasts, as far as it reported.
    package let openPeriod: OfflinePeriod?
    /// What a search looks at, in lower case.
    let searched: String

    /// - Parameter lastMutation: when its newest mutation came in; nil before the first.
    package init(
        id: String, storeId: String, number: Int64, name: String, enrolledAt: Int64, revokedAt: Int64?,
        isUnconfirmed: Bool, lastMutation: Int64?, report: Report?
    ) {
        self.id = id
        self.storeId = storeId
        self.number = number
        self.name = name
        self.enrolledAt = enrolledAt
        self.revokedAt = revokedAt
        self.isUnconfirmed = isUnconfirmed
        self.report = report
        lastContact = report.map { max($0.at, lastMutation ?? $0.at) } ?? lastMutation
        openPeriod = report?.periods.first { $0.end == nil }
        searched = "\(storeId) \(storeId)-\(number) \(name) \(id) \(report?.version ?? "")".lowercased()
    }

    /// Where it is, as receipts and people name it: `S046-1`.
    package var place: String { "\(storeId)-\(number)" }

    /// From which moment on it counts as silent when nothing comes; nil for one that cannot fall silent.
    var silentFrom: Int64? { revokedAt == nil ? lastContact.map { $0 + Fleet.silence + 1 } : nil }

    /// The offline periods that it reported, and for a silent one that did not say why the time since its
    /// last contact; the newest first.
    package func periods(at now: Int64) -> [OfflinePeriod] {
        let reported = report?.periods ?? []
        guard mode(at: now) == .silent, openPeriod == nil, let contact = lastContact else { return reported }
        return [OfflinePeriod(start: contact, end: nil, causes: .silent)] + reported
    }

    /// Before that nothing is known of it, in milliseconds since 1970.
    package var knownSince: Int64 {
        guard let periods = report?.periods else { return .max }
        let isFull = periods.count >= TelemetryReport.mostPeriods
        return max(enrolledAt, isFull ? periods.map(\.start).min() ?? 0 : 0)
    }

    /// Why it is away at `now`; ``OutageCauses/silent`` where it could not say, nothing while it is
    /// reachable.
    package func causes(at now: Int64) -> OutageCauses {
        switch mode(at: now) {
        case .offline: openPeriod?.causes ?? OutageCauses([])
        case .silent: openPeriod?.causes ?? .silent
        case .degraded, .online, .waiting, .revoked: OutageCauses([])
        }
    }

    /// How it does at `now`.
    package func mode(at now: Int64) -> FleetMode {
        if revokedAt != nil { return .revoked }
        guard let contact = lastContact else { return .waiting }
        if now > contact + Fleet.silence { return .silent }
        if openPeriod != nil { return .offline }
        switch report?.connectivity {
        case nil, "", "online", "ok", "unknown": return .online
        case "offline": return .offline
        case _: return .degraded
        }
    }

    /// Since when it is as ``mode(at:)`` says; nil where nobody knows.
    package func since(at now: Int64) -> Int64? {
        switch mode(at: now) {
        case .offline: openPeriod?.start
        case .silent: openPeriod?.start ?? lastContact
        case .revoked: revokedAt
        case .waiting: enrolledAt
        case .degraded, .online: nil
        }
    }

    /// Since when its oldest mutation without a result waits; nil without one.
    var oldestSince: Int64? {
        report.flatMap { report in report.oldestAge.map { report.at - $0 } }
    }

    /// The age of its oldest mutation without a result at `now`, in milliseconds; nil without one.
    package func oldestAge(at now: Int64) -> Int64? { oldestSince.map { max(0, now - $0) } }
}
