/// What one terminal may leave at the hub, and what a sale may plausibly come to.
///
/// Days are those of UTC at the hub. A limit is for one terminal, so that one that runs wild fills neither
/// the disk nor the sums of others. What is past a limit of a day stays with the terminal, which sends it
/// again on the next one.
package struct IntakeLimits: Hashable, Sendable {
    /// Key `limits.mutationsPerDay`. Default 500,000: a till that sells once a second for a day has 86,400,
    /// one that was offline for a month at 2,000 sales a day has 60,000. Half of it still is no limit for an
    /// honest till; twice as much lets a hostile one write twice as many rows.
    package var mutationsPerDay: Int64 = 500_000
    /// Key `limits.bytesPerDay`: documents of mutations and announced bytes of attachments. Default 4 GiB: a
    /// month of 2,000 sales a day at 3 kB, with an attachment of 2 MB at every fortieth, is 3.2 GB.
    package var bytesPerDay: Int64 = 4 << 30
    /// Key `limits.attachmentsPerDay`. Default 10,000: one for every sixth sale of such a month.
    package var attachmentsPerDay: Int64 = 10_000
    /// Key `limits.pointsPerMutation`: what one `points.adjusted` adds or takes off, and what one sale moves
    /// that no scheme of its store and no lease explains. Default 10,000: a sale of 10,000 at a point for
    /// each unit of the currency, made before its store changed the scheme.
    package var pointsPerMutation: Int64 = 10_000
    /// Key `limits.pointsPerDay`: the sum of all of them, additions and deductions alike. Default 100,000:
    /// 2,000 sales of 50 points each that were made before the scheme changed. Where a point is worth a cent,
    /// a hostile till takes 1,000 of the currency with it on a day; half of it is an alarm.
    package var pointsPerDay: Int64 = 100_000
    /// Key `limits.pointsAdjustedPerDay`: the sum of the `points.adjusted` of one terminal and day. Default
    /// 0: points come from sales; a store whose people give points away by hand sets what a day of that is.
    package var pointsAdjustedPerDay: Int64 = 0
    /// Key `limits.memberChangesPerDay`: changes of profiles by one terminal. Default 200, more than a
    /// counter types on a day. Doubled, a hostile till rewrites twice as many customers before anybody looks.
    package var memberChangesPerDay: Int64 = 200
    /// Key `limits.newMembersPerDay`: members that one terminal makes. Default 200, one every three minutes
    /// of a long day; each travels to every till of the chain.
    package var newMembersPerDay: Int64 = 200
    /// Key `limits.lookUpsPerDay`: look-ups of members by one terminal, and as many of its sales count as a
    /// member's visit to its store. Default 2,000, as many as a busy counter sells: a terminal that reads
    /// number by number gets through the chain's members in months.
    package var lookUpsPerDay: Int64 = 2_000
    /// Key `limits.plausibleSaleAmount`: a sale of more minor units is accepted and flagged. Default
    /// 100,000,000, a million of a currency with cents.
    package var plausibleSaleAmount: Int64 = 100_000_000

    package init() {}

    /// For what an operator ingests by hand: no quota, since nobody would send it again tomorrow.
    package var withoutQuotas: IntakeLimits {
        var limits = self
        limits.mutationsPerDay = .max
        limits.bytesPerDay = .max
        limits.attachmentsPerDay = .max
        limits.pointsPerMutation = .max
        limits.pointsPerDay = .max
        limits.pointsAdjustedPerDay = .max
        limits.memberChangesPerDay = .max
        limits.newMembersPerDay = .max
        limits.lookUpsPerDay = .max
        return limits
    }
}

/// What one terminal left at the hub on one day.
package struct TerminalUsage: Hashable, Sendable {
    /// All mutations with a result, rejected ones included, and payments and their look-ups.
    package var mutations: Int64
    /// Documents of mutations, attachments by their announced size, and rows of payments.
    package var bytes: Int64
    /// Attachments that were announced, complete or not.
    package var attachments: Int64
    /// The sum of all adjustments, each as a positive number, and of what sales moved beyond their store's
    /// scheme and their leases.
    package var points: Int64
    /// The adjustments alone.
    package var pointsAdjusted: Int64
    /// Changes of profiles.
    package var memberChanges: Int64
    package var newMembers: Int64
    /// Sales that count as visits of members.
    package var visits: Int64

    /// Makes a usage; every count is 0 by default.
    package init(
        mutations: Int64 = 0, bytes: Int64 = 0, attachments: Int64 = 0, points: Int64 = 0,
        pointsAdjusted: Int64 = 0, memberChanges: Int64 = 0, newMembers: Int64 = 0, visits: Int64 = 0
    ) {
        self.visits = visits
        self.pointsAdjusted = pointsAdjusted
        self.memberChanges = memberChanges
        self.newMembers = newMembers
        self.mutations = mutations
        self.bytes = bytes
        self.attachments = attachments
        self.points = points
    }

    /// The sums, each at most the largest number there is.
    package static func + (left: TerminalUsage, right: TerminalUsage) -> TerminalUsage {
        func sum(_ path: KeyPath<TerminalUsage, Int64>) -> Int64 {
            Merging.add(left[keyPath: path], to: right[keyPath: path]) ?? .max
        }
        return TerminalUsage(
            mutations: sum(\.mutations), bytes: sum(\.bytes), attachments: sum(\.attachments),
            points: sum(\.points), pointsAdjusted: sum(\.pointsAdjusted),
            memberChanges: sum(\.memberChanges), newMembers: sum(\.newMembers), visits: sum(\.visits))
    }

    /// Whether it stays within the quotas of a day; points have their own check.
    package func fits(_ limits: IntakeLimits) -> Bool {
        mutations <= limits.mutationsPerDay && bytes <= limits.bytesPerDay
            && attachments <= limits.attachmentsPerDay
    }

    /// What a payment's row counts as: itself and its indexes take some 400 bytes.
    package static let payment = TerminalUsage(mutations: 1, bytes: 512)
    /// What a look-up of a payment counts as, for which a gateway may have to be called.
    package static let lookUp = TerminalUsage(mutations: 1)

    /// The day that counts at `now`, in days since 1970.
    package static func day(at now: Int64) -> Int64 { now / day }

    /// Milliseconds until the next day counts anew.
    package static func milliseconds(toTheNextDayAt now: Int64) -> Int64 { day - now % day }

    /// In milliseconds.
    private static let day: Int64 = 86_400_000
}
