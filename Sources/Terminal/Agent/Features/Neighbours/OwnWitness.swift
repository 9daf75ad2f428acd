internal import Base
internal import HubProtocol
internal import Neighbours
internal import Synchronization

/// What other tills have seen of this till's own journal. One signed end of it that its disk does not have
/// shows that the disk is an older copy, or that a copy of it runs elsewhere.
final class OwnWitness: Sendable {
    private struct Seen {
        var ahead: SignedHead?
        /// The last one that the disk has: most hellos show it once more.
        var agreed: SignedHead?
    }

    private let terminalId: String
    /// The public half of the till's own device key.
    private let publicKey: String
    /// Where the journal ends on disk; nil where that cannot be read.
    private let head: @Sendable () async -> SignedHead?
    /// The hash of the entry at a sequence of the disk; nil where that cannot be read.
    private let hash: @Sendable (Int64) async -> String?
    private let seen = Mutex(Seen())

    init(
        terminalId: String, publicKey: String, head: @escaping @Sendable () async -> SignedHead?,
        hash: @escaping @Sendable (Int64) async -> String?
    ) {
        (self.terminalId, self.publicKey, self.head, self.hash) = (terminalId, publicKey, head, hash)
    }

    /// An end of the journal that the disk does not have; nil: none was shown.
    var ahead: SignedHead? { seen.withLock { $0.ahead } }

    /// Takes what another till has seen.
    ///
    /// - Returns: where the journal ends on disk, when this is the first sign in its epoch that the disk is
    ///   not the only one.
    func take(_ shown: SignedHead) async -> Int64? {
        guard seen.withLock({ $0.agreed != shown }), let own = await head(),
            shown.isSigned(by: publicKey, terminalId: terminalId)
        else { return nil }
        let known = shown.sequence == own.sequence ? own.hash : await hash(shown.sequence)
        guard shown.contradicts(own, having: known) else {
            seen.withLock { $0.agreed = shown }
            return nil
        }
        return seen.withLock { seen in
            let before = seen.ahead
            if shown.isAhead(of: before) { seen.ahead = shown }
            return before.map { $0.epoch < shown.epoch } ?? true ? own.sequence : nil
        }
    }
}
