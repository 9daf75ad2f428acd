import Base

/// What the last booking of a machine proves about a payment whose response was lost. A machine shows no
/// booking but its last one, and by no key of ours.
package enum ZVTPaymentProof: Hashable, Sendable {
    case charged
    case notCharged
    /// A person decides with the machine's paper.
    case undecided
}

/// A payment that was sent and has no response, as it was on disk before its first byte.
package struct ZVTOpenPayment: Hashable, Sendable {
    package let terminal: Int64
    package let amount: Int64
    package let currency: Int64
    /// The receipt number of the newest booking before it; nil for a machine that had none yet.
    package let lastReceipt: Int64?
    /// When that booking was made, as ``ZVTFields/moment``; nil: the machine said nothing of it.
    package let lastMoment: String?
    /// When the intent was written, as the machine's calendar and clock show it: seconds since 1970 of its
    /// local time.
    package let intent: Int64

    package init(
        terminal: Int64, amount: Int64, currency: Int64, lastReceipt: Int64?, lastMoment: String? = nil,
        intent: Int64
    ) {
        self.terminal = terminal
        self.amount = amount
        self.currency = currency
        self.lastReceipt = lastReceipt
        self.lastMoment = lastMoment
        self.intent = intent
    }

    /// The machine's clock may be behind by so many seconds.
    package static let clockTolerance: Int64 = 5 * 60
    /// Seconds that a machine may go on after its line broke: it sends, reverses, or wants a card.
    package static let settling: Int64 = 60

    /// What `last` proves, which the machine sent to a repetition of its last receipt.
    ///
    /// - Parameters:
    ///   - isReversal: whether the booking gives money back.
    ///   - silence: seconds between the line's break and the status enquiry that said "ready"; nil for a
    ///     machine that has no enquiry, about which a person decides.
    package func proof(by last: ZVTFields, isReversal: Bool, silence: Int64?) -> ZVTPaymentProof {
        guard let silence, last.isWhole, last.terminal == terminal, last.receipt != nil,
            let result = last.result
        else { return .undecided }
        if isSeenBefore(last) { return silence >= Self.settling ? .notCharged : .undecided }
        guard isAfterIntent(last, by: Self.clockTolerance) else { return .undecided }
        // The machine showed none before: it began again, and this may be the payment or another one.
        guard last.receipt != lastReceipt || lastMoment != nil else { return .undecided }
        if isReversal || result != 0 { return .notCharged }
        return last.amount == amount && last.currency == currency ? .charged : .undecided
    }

    /// Whether it is the newest booking before the payment. Numbers alone do not say so: a machine may begin
    /// again with one that was used, after 9999, after its end of day and when it was set up anew.
    package func isSeenBefore(_ booking: ZVTFields) -> Bool {
        guard booking.terminal == terminal, booking.receipt != nil, booking.receipt == lastReceipt else {
            return false
        }
        guard let lastMoment, let moment = booking.moment else { return !isAfterIntent(booking, by: 0) }
        return moment == lastMoment
    }

    /// Whether the booking was made at or after the intent. It has no year: of the years around the intent's
    /// the one counts that brings it nearest.
    ///
    /// - Parameter tolerance: seconds that the machine's clock may be behind.
    private func isAfterIntent(_ booking: ZVTFields, by tolerance: Int64) -> Bool {
        guard let date = booking.date, let time = booking.time else { return false }
        let (hours, minutes, seconds) = (time / 10_000, time / 100 % 100, time % 100)
        guard hours < 24, minutes < 60, seconds < 60 else { return false }
        let year = CivilDate(daysSince1970: intent.floorDivided(by: 86_400).quotient).year
        let moments = ((year - 1)...(year + 1)).compactMap { year in
            CivilDate(year: year, month: date / 100, day: date % 100).daysSince1970
                .map { $0 * 86_400 + hours * 3600 + minutes * 60 + seconds }
        }
        let nearest = moments.min { abs($0 - intent) < abs($1 - intent) }
        return nearest.map { $0 >= intent - tolerance } ?? false
    }
}
