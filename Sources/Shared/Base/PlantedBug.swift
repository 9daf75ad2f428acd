/// Bugs that `pos-sim plant` puts into the code to see them found: what is not found is a check that lacks.
///
/// A build for shops has none of them: ``isPlanted`` is false there. They are in debug builds, and in release
/// builds under `HOLDFAST_PLANTS` (Package.swift). Only `pos-sim` ever plants one.
package enum PlantedBug: String, CaseIterable, Sendable {
    // The terminal's detector and its manual switch.
    case debounceRestartedByFailure
    case debounceTooShort
    case recoveryWithoutHold
    case portalTakenForHub
    case manualFlagSavedLate
    case manualFlagNotRead

    // The terminal's outbox, its feeds, and what QoS decides.
    case retryAfterIgnored
    case jitterBeforeCap
    case refusalRemovesRow
    case restoredHubNotNoticed
    case pendingMiscounted
    case changeFeedSkips
    case olderGenerationTaken
    case serviceStaysFaulty

    // Sales, refunds, shifts and the journal.
    case saleKeyNotLookedUp
    case refundKeyNotLookedUp
    case refundAboveSale
    case soldCartStays
    case amountRoundedDown
    case cashOutNotCounted
    case voidLeavesCash
    case orderNumberReused
    case chainBroken
    case commitNotSynced

    // Cards.
    case lostChargeTakenForDeclined
    case chargeNotGivenBack

    // Leases.
    case leaseNotCounted
    case returnedLeaseSpent
    case leaseLentTwice
    case leaseNeverEnded

    // The hub.
    case acknowledgedBeforeCommit
    case hubKeyNotLookedUp
    case hubCountsRefundTwice
    case hubLosesVoid
    case statementOverGap

    #if PLANTED_BUGS
        /// What this process has planted; set once, before it has another thread.
        nonisolated(unsafe) private static var planted: PlantedBug?
    #endif

    /// Whether this build can have any.
    package static var canBePlanted: Bool {
        #if PLANTED_BUGS
            true
        #else
            false
        #endif
    }

    /// Plants it in this process, which has one thread; does nothing in a build that has none.
    package func plant() {
        #if PLANTED_BUGS
            Self.planted = self
        #endif
    }

    /// Whether it acts.
    package var isPlanted: Bool {
        #if PLANTED_BUGS
            Self.planted == self
        #else
            false
        #endif
    }
}
