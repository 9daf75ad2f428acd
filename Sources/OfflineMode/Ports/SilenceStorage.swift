public import OfflineCore

/// Keeps what was learned of the link from one run to the next. Losing it costs nothing but the learning.
public protocol SilenceStorage: Sendable {
    /// Empty when nothing was kept or it is spoilt.
    func load() -> SilenceMemory
    func save(_ memory: SilenceMemory)
}
