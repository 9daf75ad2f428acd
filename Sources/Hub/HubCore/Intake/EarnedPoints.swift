import HubProtocol
import Pricing

/// What sales of one terminal earned of points on one business day.
package struct EarnedPoints: Hashable, Sendable {
    /// The hub's day (UTC) on which it got the sales, since 1970.
    package let receivedDay: Int64
    /// The business day of the sales, since 1970: ``day(of:at:)``.
    package let day: Int64
    /// What they earned, without what waits for a person.
    package let points: Int64
    /// How many sales earned it.
    package let sales: Int64
    /// What those of them came to, in minor units, that earned what their store gives for it. What another
    /// one came to says nothing about what a sale of the store earns.
    package let total: Int64

    /// What a terminal's sales earned; each figure is cut to 0...``most``.
    package init(receivedDay: Int64, day: Int64, points: Int64, sales: Int64, total: Int64) {
        self.receivedDay = receivedDay
        self.day = day
        self.points = Self.bounded(points)
        self.sales = Self.bounded(sales)
        self.total = Self.bounded(total)
    }

    static func + (left: EarnedPoints, right: EarnedPoints) -> EarnedPoints {
        EarnedPoints(
            receivedDay: left.receivedDay, day: left.day, points: left.points + right.points,
            sales: left.sales + right.sales, total: left.total + right.total)
    }

    /// The days that a measure looks back, so that a till that was away for a month brings each of its
    /// business days. Doubled, a hostile till brings as many days more at once.
    package static let knownDays: Int64 = 30

    /// Past it a figure of one row counts no further. A million rows of it are a sum of 64 bits still; ten
    /// thousand million of a currency with cents on one day of one terminal are no shop's.
    package static let most: Int64 = 1_000_000_000_000

    private static func bounded(_ figure: Int64) -> Int64 { min(max(figure, 0), most) }

    /// The day that a sale's points count for. A day that is none, or that the measure does not look back
    /// to, is the nearest one that it does, so that nobody has more days than these.
    static func day(of businessDay: String?, at now: Int64) -> Int64 {
        let today = TerminalUsage.day(at: now)
        let day = businessDay.flatMap { SalePlausibility.day($0.filter { $0 != "-" }) } ?? today
        return min(max(day, today - knownDays), today + 2)
    }
}

/// What a store's sales earned on one business day.
package struct EarnedDay: Hashable, Sendable {
    /// Since 1970.
    let day: Int64
    /// Of all terminals, through the hub's yesterday.
    let points: Int64
    /// How many sales earned it.
    let sales: Int64
    /// What those of them came to, in minor units, that earned what their store gives for it.
    let total: Int64

    package init(day: Int64, points: Int64, sales: Int64, total: Int64) {
        self.day = day
        self.points = points
        self.sales = sales
        self.total = total
    }
}

/// How many points a terminal's sales earn on a business day before somebody has to look.
///
/// It is measured by what the store's sales earned through the hub's yesterday: what comes today raises no
/// measure of today, whatever days it names.
struct EarnedMeasure {
    private let days: [EarnedDay]
    /// What the terminal's sales earned before this push, by business day.
    private let own: [Int64: Int64]
    /// What this push added, by its day.
    private var added: [Int64: EarnedPoints] = [:]

    /// Fewer are no measure: a store's first week says nothing about its next. With half of them a store that
    /// opened on a quiet Monday has its Saturday held; with twice as many a hostile till of a new store has
    /// two weeks.
    static let fewestDays = 7

    /// So many of the store's mean sales are more than one till makes on a day. Halved, a quiet store's first
    /// sale of goods for a company is held; doubled, a hostile till gives its friend twice as much.
    static let meanSales: Int64 = 10_000

    init(_ days: [EarnedDay], own: [Int64: Int64]) {
        self.days = days
        self.own = own
    }

    /// - Parameter earning: what a sale of an amount earns by the store's scheme; 0 where that is not known.
    /// - Returns: nil where too few days are known.
    func limit(on day: Int64, earning: (Int64) -> Int64) -> Int64? {
        let known = days.filter { $0.day != day && $0.sales > 0 }
        guard known.count >= Self.fewestDays else { return nil }
        let sales = known.reduce(0) { Merging.add($1.sales, to: $0) ?? .max }
        let total = known.reduce(0) { Merging.add($1.total, to: $0) ?? .max }
        let largest = known.map(\.points).max() ?? 0
        let (ofMeanSales, overflows) = earning(total / max(sales, 1))
            .multipliedReportingOverflow(by: Self.meanSales)
        return max(Merging.add(largest, to: largest) ?? .max, overflows ? .max : ofMeanSales)
    }

    /// What the terminal's sales of a business day earned before.
    func earned(on day: Int64) -> Int64 {
        Merging.add(added[day]?.points ?? 0, to: own[day] ?? 0) ?? .max
    }

    mutating func add(_ earned: EarnedPoints) {
        added[earned.day] = added[earned.day].map { $0 + earned } ?? earned
    }

    /// What is to be kept of this push, in one order for all who write.
    var additions: [EarnedPoints] { added.values.sorted { $0.day < $1.day } }
}

/// The points of a sale, held against what is measured of its store and its terminal.
extension IntakeProcedure {
    /// The effects of a sale with its points held against the store's scheme. A sale is a fact and never
    /// refused: what it moves beyond what the store gives and its leases cover counts as an adjustment does,
    /// and past the limits none of its points move. So does all that an implausible sale earns: whoever
    /// invents sales does not invent points without a limit. What it earns past the measure of its business
    /// day waits for a person, who releases what the store gives and nothing beyond: where the scheme is
    /// known, a sale past the measure that says more moves none.
    mutating func withinPoints(
        _ effects: [IntakeEffect], _ record: MutationRecord, isPlausible: Bool
    ) throws -> (effects: [IntakeEffect], flags: Set<IntakeFlag>) {
        guard case .recordOrder(let order)? = effects.first,
            order.pointsMember != nil, let points = order.points,
            points != SalePoints(earned: 0, spent: 0, value: 0)
        else { return (effects, []) }
        let facts = try approvalFacts ?? store.approvalFacts(in: request.device.storeId)
        approvalFacts = facts
        let scheme = KnownPointsScheme(facts, at: record.moments.first ?? request.receivedAt)
        var flags: Set<IntakeFlag> = scheme.agrees(with: points, total: order.total) ? [] : [.pointsDiffer]
        let isHeld = try points.earned > 0 && isPastEarned(points.earned, by: order, scheme, record)
        let claim = LeaseClaim(of: order)
        let covered = points.spent == 0 ? 0 : try store.coveredPoints(of: claim, for: record)
        let given = isPlausible ? scheme.earned(of: order.total) : 0
        let beyond = TerminalUsage(points: max(0, points.earned - given))
        let excess = beyond + TerminalUsage(points: max(0, points.spent - covered))
        let most = min(request.limits.pointsPerMutation, request.limits.pointsPerDay)
        guard beyond.points == 0 || !isHeld || !scheme.saysWhatIsEarned,
            excess.points <= most, (usage + added + excess).points <= request.limits.pointsPerDay
        else {
            flags.insert(.pointsLimit)
            return (effects.compactMap(\.withoutPoints), flags)
        }
        let before = (usage + added).points
        added = added + excess
        let half = request.limits.pointsPerDay - request.limits.pointsPerDay / 2
        if before < half, (usage + added).points >= half {
            try alarm(
                .pointsUnexplainedMany,
                "\((usage + added).points) of \(request.limits.pointsPerDay) of this day.", record)
        }
        guard isHeld else {
            try countEarned(points.earned, by: order, isGiven: points.earned == given, scheme, record)
            return (effects, flags)
        }
        flags.insert(.pointsHeld)
        return (effects.compactMap { $0.adjusting(by: -points.spent) }, flags)
    }

    /// Whether the terminal's sales of the business day earn more with this one than the measure is.
    private mutating func isPastEarned(
        _ points: Int64, by order: CompletedOrder, _ scheme: KnownPointsScheme, _ record: MutationRecord
    ) throws -> Bool {
        let day = EarnedPoints.day(of: order.businessDay, at: record.receivedAt)
        let measure = try knownMeasure(at: record.receivedAt)
        guard let limit = measure.limit(on: day, earning: scheme.earned(of:)) else { return false }
        return (Merging.add(points, to: measure.earned(on: day)) ?? .max) > limit
    }

    private func alarm(_ kind: AlarmKind, _ detail: String, _ record: MutationRecord) throws {
        try store.raise(
            Alarm(
                kind: kind, terminalId: record.device.terminalId, mutationId: record.mutation.id,
                detail: detail, at: record.receivedAt))
    }

    /// Counts what a sale earned; half of the measure is an alarm.
    ///
    /// - Parameter isGiven: whether it is what the store gives for the total.
    private mutating func countEarned(
        _ points: Int64, by order: CompletedOrder, isGiven: Bool, _ scheme: KnownPointsScheme,
        _ record: MutationRecord
    ) throws {
        guard points > 0 else { return }
        var measure = try knownMeasure(at: record.receivedAt)
        let day = EarnedPoints.day(of: order.businessDay, at: record.receivedAt)
        let before = measure.earned(on: day)
        measure.add(
            EarnedPoints(
                receivedDay: TerminalUsage.day(at: record.receivedAt), day: day, points: points, sales: 1,
                total: isGiven ? order.total : 0))
        earnedMeasure = measure
        guard let limit = measure.limit(on: day, earning: scheme.earned(of:)) else { return }
        let (after, half) = (measure.earned(on: day), limit - limit / 2)
        if before < half, after >= half {
            let day = order.businessDay.map { " \($0.prefix(10))" } ?? ""
            try alarm(.pointsEarnedMany, "\(after) of \(limit) of the business day\(day).", record)
        }
    }

    /// Read by the first sale of a push that earns points.
    private mutating func knownMeasure(at now: Int64) throws -> EarnedMeasure {
        if let earnedMeasure { return earnedMeasure }
        let today = TerminalUsage.day(at: now)
        let (storeId, first) = (request.device.storeId, today - EarnedPoints.knownDays)
        let measure = EarnedMeasure(
            try store.earnedDays(of: storeId, since: first, before: today),
            own: try store.earnedPoints(of: device.terminalIds, in: storeId, since: first))
        earnedMeasure = measure
        return measure
    }
}

extension IntakeEffect {
    /// Nil for one that only moves points.
    fileprivate var withoutPoints: IntakeEffect? {
        switch self {
        case .adjustPoints: nil
        case .useLeases(let claim): claim.withoutPoints.isEmpty ? nil : .useLeases(claim.withoutPoints)
        case _: self
        }
    }

    /// The same with another sum of points; nil where that is none.
    fileprivate func adjusting(by delta: Int64) -> IntakeEffect? {
        guard case .adjustPoints(let memberId, _) = self else { return self }
        return delta == 0 ? nil : .adjustPoints(memberId: memberId, delta: delta)
    }
}
