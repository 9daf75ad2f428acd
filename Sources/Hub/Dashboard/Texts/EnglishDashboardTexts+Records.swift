internal import HubProtocol

/// What records are called, in English.
extension EnglishDashboardTexts {
    func entry(_ entry: PageWord.Entry) -> String {
        switch entry {
        case .orderCompleted: "sale"
        case .orderVoided: "void"
        case .refundCompleted: "refund"
        case .mutationDiscarded: "entry given up"
        case .memberCreated: "new member"
        case .memberUpdated: "member's profile"
        case .pointsAdjusted: "points"
        case .couponRedeemed: "coupon"
        case .noteUpserted: "note"
        case .noteDeleted: "note deleted"
        case .paymentCaptured: "card captured"
        case .paymentVoided: "card released"
        case .shiftOpened: "shift opened"
        case .shiftClosed: "shift closed"
        case .cashMoved: "cash moved"
        case .cardDecided: "card machine: decided"
        case .cardDayClosed: "card machine's day closed"
        case .leaseGiven: "part of a lease given"
        case .leaseTaken: "part of a lease taken"
        }
    }

    func flag(_ flag: PageWord.Flag) -> String {
        switch flag {
        case .orderNumberForeign: "The order number is another terminal's"
        case .orderNumberImplausible: "The order number is implausible"
        case .businessDayImplausible: "The business day is implausible"
        case .amountImplausible: "The amount is implausibly high"
        case .lineTotalDiffers: "A line is not price times quantity"
        case .totalDiffers: "The total is not that of the lines"
        case .taxDiffers: "The tax is not what the rates give"
        case .paymentDiffers: "The payments do not come to the total"
        case .amountsDiffer: "The amounts do not add up"
        case .priceDiffers: "A price is not the catalogue's"
        case .stockNegative: "More was sold than counted"
        case .currencyDiffers: "The currency is not the catalogue's"
        case .orderUnknown: "The hub does not have the sale"
        case .refundUnmatched: "No sale fits the receipt's code"
        case .cartSoldTwice: "One cart was sold twice"
        case .refundRepeated: "More came back than was sold"
        case .refundExceedsSale: "The refund is more than the sale"
        case .memberUnknown: "The hub does not have the member"
        case .memberMerged: "The telephone number is another member's"
        case .pointsNegative: "More points were spent than there were"
        case .pointsIgnored: "A profile had points, which were left aside"
        case .pointsDiffer: "The points are not those of the sale"
        case .pointsLimit: "The points are past the limit of the day"
        case .leaseExceeded: "More was spent than was lent"
        case .couponUnknown: "The hub does not know the coupon"
        case .couponOverused: "The coupon was taken too often"
        case .refundNotOnCard: "The card did not pay this sale"
        case .paymentUnmatched: "The hub did not authorise the card"
        case .approvalMissing: "An approval is missing"
        case .detailsUnreadable: "A part cannot be read"
        case .shiftOverlaps: "The shift was closed before"
        case .cardDecided: "A person decided a card payment, void or refund"
        case .cardDayDiffers: "The card machine's day has another sum"
        case .relayedConflict: "Handed in by another till, against another entry"
        case .textTooLong: "A text is too long"
        }
    }

    func act(_ act: LoggedAction) -> String {
        switch act {
        case .signIn: "signed in"
        case .signOut: "signed out"
        case .setPassword: "set a password"
        case .overrideService: "override of a service"
        case .confirmOverride: "confirmed an override"
        case .clearOverride: "took an override back"
        case .acknowledgeAlarm: "acknowledged an alarm"
        case .resolveRefusal: "decided on a refused mutation"
        case .settleDebt: "settled a debt"
        case .releaseLease: "gave up a lease"
        case .rebuild: "computed the sums again"
        case .mintCode: "enrolment code"
        case .mintCodes: "enrolment codes"
        case .revokeCode: "took an enrolment code back"
        case .revokeTerminal: "revoked a terminal"
        case .confirmTerminal: "confirmed a terminal"
        case .linkTerminal: "joined two terminals"
        case .addOperator: "added an operator"
        case .removeOperator: "removed an operator"
        case .changeStoreSettings: "changed settings of a store"
        case .importFile: "imported a file"
        case .withdraw: "withdrew an article or person"
        case .eraseMember: "erased a member"
        case .mergeMembers: "merged two members"
        case .revertMembers: "took changes of members back"
        case .releaseHeldPoints: "released points"
        case .rotateKeys: "changed keys"
        case .importKeys: "imported keys"
        case .replaceLostKeys: "replaced lost keys"
        case .addWebhook: "added a webhook"
        case .removeWebhook: "removed a webhook"
        case .rotateWebhook: "changed a webhook's key"
        case .acceptRelayed: "accepted entries that other terminals handed in"
        case .registerTerminal: "registered a terminal"
        case .exportKeys: "exported keys"
        case .skipWebhook: "skipped documents of a webhook"
        case .archive: "archived closed days"
        }
    }

    func right(_ right: PageWord.Right) -> String {
        switch right {
        case .readOperations: "read the pages"
        case .exportRecords: "export records"
        case .acknowledgeAlarm: "acknowledge an alarm"
        case .overrideStore: "override for a store"
        case .overrideChain: "override for all stores"
        case .confirmOverride: "confirm an override"
        case .importMasterData: "import a file"
        case .mintEnrolmentCodes: "make enrolment codes"
        }
    }

    func state(_ state: PaymentState) -> String {
        switch state {
        case .authorized: "authorised"
        case .declined: "declined"
        case .captured: "taken"
        case .voided: "given up"
        case .refunded: "given back"
        case .unknown: "no response yet"
        case .storedOffline: "stored offline"
        case .forwardDeclined: "refused afterwards"
        }
    }
}
