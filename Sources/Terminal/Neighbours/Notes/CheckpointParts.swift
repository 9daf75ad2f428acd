internal import Base
internal import HubProtocol

extension CheckpointPart {
    /// A checkpoint of a list as it is: its open carts, and the refunds, grants, releases and sold copies of
    /// ``NeighbourLimits/refundsKept``, in as few parts as they need; one part at least.
    ///
    /// - Parameters:
    ///   - list: with a note at least, whose time is the checkpoint's.
    ///   - journal: what the hub has to have before what lies before the checkpoint is dropped.
    static func parts(of list: NoteList, journal: JournalMark) -> [CheckpointPart] {
        let empty = CheckpointPart(number: list.last, hash: list.lastHash, journal: journal)
        var parts = [empty]
        var bytes = 0
        func place(_ size: Int, _ add: (inout CheckpointPart) -> Void) {
            if bytes + size > NeighbourLimits.checkpointPartBytes {
                parts.append(empty)
                bytes = 0
            }
            bytes += size
            add(&parts[parts.count - 1])
        }
        for cart in list.state.openCarts {
            // The comma between two counts too.
            place(cart.canonical.bytes.count + 1) { $0.carts.append(cart) }
        }
        let since = list.madeAt - NeighbourLimits.refundsKept.wholeMilliseconds
        for grant in list.state.grants(since: since) {
            place(grant.canonical.bytes.count + 1) { $0.grants.append(grant) }
        }
        for release in list.state.releases(since: since) {
            place(release.canonical.bytes.count + 1) { $0.releases.append(release) }
        }
        for refund in list.state.refunds(since: since) {
            place(refund.canonical.bytes.count + 1) { $0.refunds.append(refund) }
        }
        for copy in list.state.soldCopies(since: since) {
            place(copy.canonical.bytes.count + 1) { $0.copies.append(copy) }
        }
        for index in parts.indices {
            parts[index].part = Int64(index + 1)
            parts[index].parts = Int64(parts.count)
        }
        return parts
    }
}
