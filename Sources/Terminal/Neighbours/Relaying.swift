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

        package init(wantsRelay: Bool, isManual: Bool, heardAt: Instant) {
            (self.wantsRelay, self.isManual, self.heardAt) = (wantsRelay, isManual, heardAt)
        }
    }

    /// Whether its pieces are handed in now.
    package static func isDue(_ maker: Maker, at now: Instant) -> Bool {
        if maker.wantsRelay { return true }
        let silence = maker.isManual ? NeighbourLimits.manualSilence : NeighbourLimits.silence
        return now - maker.heardAt >= silence
    }
}
