internal import Base
internal import HubProtocol
internal import Synchronization
internal import TerminalStore

/// Which entries that other tills keep of this one its journal has. After an older disk the same numbers
/// stand for other entries: those of before are kept by the others alone, and have to come to the hub
/// from there.
final class OwnRuns: Sendable {
    /// The hash of the entry at a sequence of the disk; nil where it is not there or cannot be read.
    private let hash: @Sendable (Int64) async -> String?
    /// Ends that the disk has: it loses none while the agent runs.
    private let found = Mutex<Set<String>>([])

    /// Two for each of the store's tills. Above it the disk is read again.
    private static let most = 32

    init(hash: @escaping @Sendable (Int64) async -> String?) { self.hash = hash }

    convenience init(_ outbox: SQLiteOutbox) {
        self.init { sequence in
            let entries = try? await outbox.entries(after: sequence - 1, through: sequence, limit: 1)
            return entries?.first.flatMap { EntryLink(ofEntry: $0.body)?.hash }
        }
    }

    /// The hash of the disk's entry at a sequence; nil where it is not there or cannot be read.
    func hash(at sequence: Int64) async -> String? { await hash(sequence) }

    /// - Parameters:
    ///   - runs: what another till keeps.
    ///   - acknowledgedThrough: the hub has results for all entries up to this sequence.
    func coverages(of runs: [KeptRun], acknowledgedThrough: Int64) async -> [RunCoverage] {
        var coverages: [RunCoverage] = []
        for run in runs {
            let isOwn = await has(run.end)
            coverages.append(RunCoverage(hash: run.end.hash, through: isOwn ? acknowledgedThrough : nil))
        }
        return coverages
    }

    private func has(_ end: JournalMark) async -> Bool {
        if found.withLock({ $0.contains(end.hash) }) { return true }
        guard await hash(end.sequence) == end.hash else { return false }
        found.withLock { found in
            if found.count >= Self.most { found = [] }
            found.insert(end.hash)
        }
        return true
    }
}
