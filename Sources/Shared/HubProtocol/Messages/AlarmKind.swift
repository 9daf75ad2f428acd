/// The kinds of alarms that a hub raises, by the words of `GET /v1/alarms` and of the store.
///
/// Nothing else raises one, so that each has a text in every language of the pages.
package enum AlarmKind: String, Hashable, Sendable, CaseIterable {
    // A flag of the same name.
    case hashMismatch = "hash_mismatch"
    case chainBroken = "chain_broken"
    case orderNumberRepeated = "order_number_repeated"
    case receiptCodeForeign = "receipt_code_foreign"
    case voucherRepeated = "voucher_repeated"
    case pointsHeld = "points_held"
    // What one terminal changed or looked up on a day.
    case pointsEarnedMany = "points_earned_many"
    case pointsUnexplainedMany = "points_unexplained_many"
    case pointsAdjustedMany = "points_adjusted_many"
    case memberChangesMany = "member_changes_many"
    case newMembersMany = "new_members_many"
    case lookUpsMany = "look_ups_many"
    // A terminal's journal and its heads.
    case journalForked = "journal_forked"
    case epochInvalid = "epoch_invalid"
    case epochGap = "epoch_gap"
    case epochStartRaised = "epoch_start_raised"
    case headRegressed = "head_regressed"
    case headContradicted = "head_contradicted"
    case headSignatureInvalid = "head_signature_invalid"
    /// A piece that another terminal handed in has a sequence that another entry holds.
    case relayedConflict = "relayed_conflict"
    /// A piece that another terminal handed in waits for a person.
    case relayedHeld = "relayed_held"
    // A terminal.
    case terminalCloned = "terminal_cloned"
    case terminalUnconfirmed = "terminal_unconfirmed"
    case terminalJournalLoss = "terminal_journal_loss"
    case terminalEntriesHeldBack = "terminal_entries_held_back"
    /// It keeps sales of other tills that have not reached the hub for a week.
    case terminalKeptOverdue = "terminal_kept_overdue"
    case quotaExceeded = "quota_exceeded"
    case leasesOfSilentTerminal = "leases_of_silent_terminal"
    /// It gave more of a lease to other tills than it had: nothing is lent to it until a person released
    /// that.
    case leaseGivenTwice = "lease_given_twice"
    // Payments.
    /// A stored card payment was refused when it was forwarded: a debt.
    case paymentForwardDeclined = "payment_forward_declined"
    case paymentRefundRefused = "payment_refund_refused"
    case paymentVoidRefused = "payment_void_refused"
    case paymentKeyMissing = "payment_key_missing"
    case paymentNotReadable = "payment_not_readable"
    // A receiver of the journal feed; the alarm's terminal is the webhook then.
    case webhookFailing = "webhook_failing"
}
