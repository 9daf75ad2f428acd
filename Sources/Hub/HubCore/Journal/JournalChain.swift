/// Checks link by link that nothing of a terminal's journal was changed or lost.
///
/// Every entry carries the hash of the one before it. The hub computes each entry's hash anew, so neither an
/// altered entry nor one that was taken out and the rest closed up goes unnoticed.
package struct JournalChain: Hashable, Sendable {
    /// One entry, as far as the chain is concerned.
    package struct Link: Hashable, Sendable {
        /// The chain begins anew with each epoch.
        package let epoch: Int64
        /// From 1; a gap to the entry before it is not an error of the chain.
        package let sequence: Int64
        /// Lower-case hex SHA-256 of the entry before this one, as the terminal wrote it.
        package let previousHash: String
        /// The hash that the entry carries.
        package let hash: String
        /// Whether the hub computed the same one.
        package let isHashRight: Bool

        /// Makes a link; both hashes are in lower-case hex.
        package init(epoch: Int64, sequence: Int64, previousHash: String, hash: String, isHashRight: Bool) {
            self.epoch = epoch
            self.sequence = sequence
            self.previousHash = previousHash
            self.hash = hash
            self.isHashRight = isHashRight
        }
    }

    private var last: Link?
    /// The first sequence whose hash or link is wrong; nil while the chain is intact.
    package private(set) var brokenAt: Int64?

    /// A chain that has seen no entry yet and counts as intact.
    package init() {}

    /// Goes on with the next entry in order of epoch and sequence. The first of an epoch and one behind a gap
    /// have no neighbour to agree with.
    package mutating func follow(_ link: Link) {
        if brokenAt == nil, !link.isHashRight || !Self.agrees(link, with: last) { brokenAt = link.sequence }
        last = link
    }

    /// Whether `link` names its neighbour's hash; true when the two are no neighbours.
    package static func agrees(_ link: Link, with previous: Link?) -> Bool {
        guard let previous, previous.epoch == link.epoch, previous.sequence + 1 == link.sequence else {
            return true
        }
        return link.previousHash == previous.hash
    }
}
