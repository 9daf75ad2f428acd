/// The terminal's own card machine, on the shop's network, as the checkout uses it.
///
/// Every call names the payment by its key and can be repeated: a key is charged once and given back once. It
/// never throws; every failure is an outcome.
package protocol CardMachine: Sendable {
    /// Whether it would take a card now, as far as the last exchanges showed; without a request.
    var readiness: MachineReadiness { get }

    /// Charges, or continues with what was sent under the request's key before.
    ///
    /// - Returns: the request as it is then.
    func charge(_ request: DeviceRequest) async -> DeviceRequest

    /// Gives a charge back that no sale takes over.
    ///
    /// - Returns: whether nothing is left to do under the key: no money is held, or the shop owes it.
    func giveBack(key: String) async -> Bool

    /// Gives a part of a charge back to its card, or all of it. Idempotent by both keys together.
    ///
    /// - Parameters:
    ///   - key: of the charge.
    ///   - refundId: a ULID; one refund gives a charge back once.
    ///   - amount: minor units, above 0.
    ///   - isAttended: whether somebody is at the machine. Without it nothing is begun that pays whichever
    ///     card is presented.
    func refund(
        key: String, refundId: String, amount: Int64, currency: String, isAttended: Bool
    ) async -> MachineRefund
}

extension CardMachine {
    /// Ready: a machine that keeps no state of its own is tried.
    package var readiness: MachineReadiness { .ready }
}

/// Whether a card machine takes a card.
package enum MachineReadiness: Hashable, Sendable {
    case ready
    /// It was not reached a moment ago.
    case away
    /// It refused this till a moment ago.
    case refused
    /// It was busy with another till a moment ago.
    case busy
    /// The result of an earlier payment is open, which another one would hide.
    case undecided

    /// By what the machine showed a moment ago.
    init(_ trouble: DeviceTrouble?) {
        switch trouble {
        case .unreachable: self = .away
        case .refused: self = .refused
        case .busy: self = .busy
        case .undecided, .notKept, nil: self = .ready
        }
    }

    /// Nil: it takes a card.
    var obstacle: TillObstacle? {
        switch self {
        case .ready: nil
        case .away: .machineAway
        case .refused: .machineRefused
        case .busy: .machineBusy
        case .undecided: .machineUndecided
        }
    }

    /// Whether it would take no card if it were requested, as far as anybody knows; with an open result the
    /// sale stops here instead.
    var isPassed: Bool { self != .ready && self != .undecided }
}

/// What a card machine gave back.
package enum MachineRefund: Hashable, Sendable {
    case refunded
    /// The machine took it on and says no more.
    case requested
    /// Not given back, and never by this request: the customer is owed the money.
    case refused(reason: String)
    /// Nothing was given back: the customer has to present a card, and somebody to begin it.
    case needsCard
    /// No response, or one that cannot be read: it may have been given back or not.
    case unknown(detail: String)
}
