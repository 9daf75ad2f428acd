/// An interval in which the terminal was offline.
public struct OfflinePeriod: Hashable, Sendable {
    /// The row's number on this terminal, rising in the order of the periods.
    public let id: Int64
    /// Unix milliseconds of the wall clock.
    public let startedAt: Int64
    /// Unix milliseconds; nil while it lasts.
    public let endedAt: Int64?
    /// Every cause that was active in it, in the order in which they came.
    public let causes: [String]
    /// What led to it, oldest first, `manual:stock-taking` for example.
    public let evidence: [String]
    /// Sales recorded in it that began offline.
    public let sales: Int64
}
