package import Base
internal import HubProtocol

/// When a keeper hands in what it keeps of another till: at once where that till wants it, and after a while
/// where nothing is heard of it.
package enum Relaying {
    /// What is known of a piece's maker.
    package struct Maker: Hashable, Sendable {
        /// It said that it has entries and no way to the hub.
        package let wantsRelay: Bool
        /// Its last hello said that a person keeps it offline.
        package let isManual: Bool
        /// When it was heard last; the agent's start where it was not heard since.
        package let heardAt: Instant
        /// Of its journal, as a head with its signature says; nil: none was seen.
        package let epoch: Int64?

        package init(wantsRelay: Bool, isManual: Bool, heardAt: Instant, epoch: Int64? = nil) {
            (self.wantsRelay, self.isManual) = (wantsRelay, isManual)
            (self.heardAt, self.epoch) = (heardAt, epoch)
        }
    }

    /// Whether a piece is handed in now.
    ///
    /// - Parameters:
    ///   - epoch: of the piece.
    ///   - isForeign: the maker's journal does not have it (``KeptPieces/isForeign(_:)``).
    package static func isDue(
        _ maker: Maker, of epoch: Int64, isForeign: Bool, at now: Instant
    ) -> Bool {
        // Of an epoch that it has left it says nothing any more: its disk may lack what is kept here.
        let hasLeft = maker.epoch.map { epoch < $0 } ?? false
        if maker.wantsRelay || hasLeft || isForeign { return true }
        let silence = maker.isManual ? NeighbourLimits.manualSilence : NeighbourLimits.silence
        return now - maker.heardAt >= silence
    }
}
