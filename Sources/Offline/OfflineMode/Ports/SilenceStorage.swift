public import OfflineCore

/// Keeps what was learned of the link from one run to the next. Its loss costs only what was learned.
public protocol SilenceStorage: Sendable {
    /// Empty when nothing was kept or it is corrupt.
    func load() -> SilenceMemory
    func save(_ memory: SilenceMemory)
}
