public import Base

/// One interval of being offline, as `pos history` shows it.
public struct OfflinePeriod: Hashable, Codable, Sendable {
    /// When the first cause took effect.
    public let start: Instant
    /// Nil while it lasts.
    public let end: Instant?
    /// Every cause that held at some time during it, in the order manual, network, service.
    public let causes: [OfflineCause]
    /// Names of the evidence, oldest first, each once, at most 16.
    public let evidence: [String]

    /// A period that is still open where `end` is nil.
    public init(start: Instant, end: Instant?, causes: [OfflineCause], evidence: [String]) {
        self.start = start
        self.end = end
        self.causes = causes
        self.evidence = evidence
    }
}

extension OfflinePeriod {
    func ending(at end: Instant) -> OfflinePeriod {
        OfflinePeriod(start: start, end: end, causes: causes, evidence: evidence)
    }

    /// With the present causes and evidence added; the oldest evidence is kept when there is too much.
    func merging(causes more: [OfflineCause], evidence seen: [String], limit: Int) -> OfflinePeriod {
        var names = evidence
        for name in seen where names.count < limit && !names.contains(name) { names.append(name) }
        let held = Set(causes).union(more).sorted()
        return OfflinePeriod(start: start, end: end, causes: held, evidence: names)
    }
}
