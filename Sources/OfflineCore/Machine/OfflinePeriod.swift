/// One interval of being offline, as `pos history` shows it.
public struct OfflinePeriod: Hashable, Codable, Sendable {
    public let start: Instant
    /// Nil while it lasts.
    public let end: Instant?
    /// Every cause that held at some time during it, in the order manual, network, service.
    public let causes: [OfflineCause]
    /// Names of the evidence, oldest first, each once, at most 16.
    public let evidence: [String]

    public init(start: Instant, end: Instant?, causes: [OfflineCause], evidence: [String]) {
        self.start = start
        self.end = end
        self.causes = causes
        self.evidence = evidence
    }
}
