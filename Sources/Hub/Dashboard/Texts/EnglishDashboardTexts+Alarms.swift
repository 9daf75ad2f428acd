internal import HubProtocol

/// What alarms are about, in English.
extension EnglishDashboardTexts {
    func alarm(_ alarm: AlarmKind) -> String {
        switch alarm {
        case .hashMismatch: "An entry's hash is not its content's"
        case .chainBroken: "A journal's chain is broken"
        case .orderNumberRepeated: "An order number came twice"
        case .receiptCodeForeign: "A receipt's code was signed about another terminal's sale"
        case .voucherRepeated: "A voucher's number paid a second time"
        case .pointsHeld: "Points that a sale earned wait for a person"
        case .pointsEarnedMany: "A terminal's sales earn unusually many points"
        case .pointsUnexplainedMany: "A terminal moved many points that its sales do not explain"
        case .pointsAdjustedMany: "A terminal adjusted many points by hand"
        case .memberChangesMany: "A terminal changed many members"
        case .newMembersMany: "A terminal made many members"
        case .lookUpsMany: "A terminal looked up many members"
        case .journalForked: "A terminal's journal was restored or copied"
        case .epochInvalid: "A terminal uses an epoch that is not the next one"
        case .epochGap: "Many entries before a terminal's first ones are missing"
        case .epochStartRaised: "A terminal says that its epoch began later than before"
        case .headRegressed: "A terminal signed fewer entries than before"
        case .headContradicted: "An entry is not the one that its terminal signed"
        case .headSignatureInvalid: "A terminal's signature is not by its key"
        case .relayedConflict: "Entries that another till handed in conflict with others"
        case .relayedHeld: "Entries that another till handed in wait for you"
        case .terminalCloned: "Two machines speak as one terminal"
        case .terminalUnconfirmed: "A terminal came back and waits for a confirmation"
        case .terminalJournalLoss: "A terminal's database lost entries"
        case .terminalEntriesHeldBack: "A terminal holds damaged entries back"
        case .terminalKeptOverdue: "A till keeps sales of others that did not come here for a week"
        case .quotaExceeded: "A terminal used up its quota of the day"
        case .leasesOfSilentTerminal: "A silent terminal holds leases"
        case .leaseGivenTwice: "A terminal gave away more of a lease than it had"
        case .paymentForwardDeclined: "A card taken offline was refused"
        case .paymentRefundRefused: "Money could not go back to a card"
        case .paymentVoidRefused: "A card's payment could not be given up"
        case .paymentKeyMissing: "The key for a stored card is missing"
        case .paymentNotReadable: "The payment gateway cannot read a payment"
        case .webhookFailing: "A back office accepts no documents"
        }
    }
}
