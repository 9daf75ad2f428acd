/// What the hub removes once it is old enough; everything else that it keeps is in ``KeptTable/all``.
///
/// The configuration, the removal and the reference read the rules from here. None of the kinds is a record
/// that shops have to keep: sales, shifts, statements and debts are no kind.
package enum RetentionKind: String, Hashable, Sendable, CaseIterable {
    case responses
    case unnamedAttachments
    case alarms
    case refusals
    case enrolmentCodes
    case telemetry
    case leases
    case memberChanges
    case memberReads
    case memberVisits

    /// How long a kind is kept, and what goes.
    package struct Rule: Hashable, Sendable {
        /// The default, in days.
        package let days: Int64
        /// The days that a configuration may set.
        package let range: ClosedRange<Int64>
        /// What goes, in Markdown.
        package let removed: String
        /// What is not possible any more without it, in Markdown.
        package let lost: String

        fileprivate init(
            _ days: Int64, _ range: ClosedRange<Int64>, removed: String, lost: String
        ) {
            self.days = days
            self.range = range
            self.removed = removed
            self.lost = lost
        }
    }

    /// The rule of this kind.
    package var rule: Rule {
        switch self {
        // The contract names 30 days (http.md section 3). Doubled, the hub keeps some hundred bytes of each
        // entry for a month longer.
        case .responses:
            Rule(
                30, 30...3650,
                removed: "Responses to mutations that their terminal has on its own disk.",
                lost:
                    "A mutation that is sent once more is `rejected` with `expired_replay`; it is never run again."
            )
        // Half of it forgets what a terminal in a long outage sent ahead of its mutation.
        case .unnamedAttachments:
            Rule(
                30, 7...3650, removed: "Complete attachments that no mutation names.",
                lost: "The bytes; the terminal announces them again when a mutation names them.")
        // Two years: whoever looks for a pattern compares this year with the last one.
        case .alarms:
            Rule(
                730, 30...3650, removed: "Alarms that somebody acknowledged, from then on.",
                lost: "The alarm with its note. The operators' log keeps who acknowledged it.")
        case .refusals:
            Rule(
                730, 90...3650,
                removed: "Refusals that are resolved, from the mutation's arrival on.",
                lost: "The row of `pos-hub refused list --all` with the reason of the refusal. The mutation "
                    + "itself and the operators' log stay.")
        // Past the 31 days for which the list of codes shows them.
        case .enrolmentCodes:
            Rule(
                90, 31...3650, removed: "Enrolment codes, from their end on.",
                lost: "Which terminal used which code. The terminal itself stays.")
        // A year, so that a seasonal shop's last version is there when it opens again.
        case .telemetry:
            Rule(
                365, 30...3650,
                removed: "Reports of program versions that their terminal does not run any more.",
                lost: "The figures of that version. The newest report of each terminal stays.")
        // A till that was away for longer than its journal would be sent again brings no lease that counts.
        case .leases:
            Rule(
                400, 90...3650, removed: "Leases that ended or were released, from then on.",
                lost: "The row of `pos-hub leases list --all`. A sale that names the lease later is accepted "
                    + "with the flag `lease_exceeded`.")
        // As long as a till's journal can be sent again after a restore. They are personal data.
        case .memberChanges:
            Rule(
                90, 1...3650, removed: "What members were before terminals changed them.",
                lost: "`pos-hub members revert` reaches no further back.")
        case .memberReads:
            Rule(
                90, 1...3650, removed: "How often each terminal looked up members on a day.",
                lost: "The evidence for an alarm `look_ups_many` of that day.")
        // Half of it is too little for whoever comes once in two months; more says nothing
        // (``AdvanceShares/visitsCount``). They are personal data.
        case .memberVisits:
            Rule(
                90, 1...90, removed: "At which stores members were last, and at which till.",
                lost: "Nothing is lent in advance to a store where a member was before "
                    + "([leases](../concepts/leases.md)).")
        }
    }

    /// The key of the hub's configuration.
    package var configurationKey: String { "retention.\(rawValue)Days" }
}

/// For how many days each kind is kept.
package struct RetentionPeriods: Hashable, Sendable {
    private var days: [RetentionKind: Int64] = [:]

    package init() {}

    /// In days, within the rule's range.
    package subscript(kind: RetentionKind) -> Int64 {
        get { days[kind] ?? kind.rule.days }
        set { days[kind] = newValue == kind.rule.days ? nil : newValue }
    }

    /// The same in milliseconds.
    package func milliseconds(of kind: RetentionKind) -> Int64 { self[kind] * 86_400_000 }
}
