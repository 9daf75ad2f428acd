package import Base

/// One command of the till and all that the machine sends until the command's end.
///
/// After the machine accepted a command it speaks, and each of its messages is acknowledged once what it
/// says is on disk: a status information that was acknowledged is a booking that the machine keeps. Only the
/// completion is a result. A connection that ends before is a lost response, whatever was said.
package struct ZVTDialogue: Machine, Sendable {
    package enum Event: Hashable, Sendable {
        case received(ZVTMessage)
        /// Whether the disk has what ``Effect/keep(_:_:)`` named.
        case kept(Bool)
        /// A person wants no more of it.
        case abortWanted
        case connectionEnded
        case timeAdvanced
    }

    package enum Effect: Hashable, Sendable {
        case send(ZVTPacket)
        /// Make it durable, then report ``Event/kept(_:)``. Nothing is acknowledged before.
        case keep(ZVTFields, paper: [ZVTPaper])
        /// The machine's progress, for the screen alone.
        case show(UInt8)
        case end(End)
    }

    /// How it ended.
    package enum End: Hashable, Sendable {
        /// The machine did it.
        case completed(ZVTOutcome)
        /// The machine did not do it; 0x6C is an abort, others are in the specification's list of errors.
        case aborted(UInt8)
        /// The command was not accepted; 0x9C: the machine is busy.
        case refused(UInt8)
        /// Nobody knows what the machine did.
        case lost(Loss)
    }

    package enum Loss: String, Hashable, Sendable {
        case noReceipt, connectionEnded, silence, contradiction
    }

    private enum Step: Hashable {
        case sent
        case running
        /// What the machine said is being kept.
        case keeping
        case ended
    }

    /// Seconds from a command to its receipt, T3 of the specification.
    private static let receiptTime = Duration.seconds(5)
    /// How long the machine has after an abort without a sign of life.
    private static let abortTime = Duration.seconds(30)
    /// Silences that a dialogue takes at most, whatever the machine sends: customers who correct themselves
    /// need a part of it. Then it is aborted, and ends after one more.
    private static let mostSilences: Int64 = 5
    /// Lines of all papers; four papers of the longest kind. Further ones are not kept.
    private static let mostLines = 800

    private let silence: Duration
    private let expected: Expected?
    private var step = Step.sent
    private var limit: Instant
    /// From when on no message of the machine gives it more time.
    private var last: Instant
    private var status: ZVTFields?
    /// Whether ``status`` was acknowledged: then the machine has it, and nothing is refused any more.
    private var isAcknowledged = false
    private var paper: [ZVTPaper] = []
    private var isAborting = false
    /// Whether the till refused the booking, which the machine reverses by itself then.
    private var isRefused = false

    /// What a booking has to be for the till to acknowledge it.
    package struct Expected: Hashable, Sendable {
        package let amount: Int64
        package let currency: Int64
        /// Nil: whatever terminal it is.
        package let terminal: Int64?

        package init(amount: Int64, currency: Int64, terminal: Int64?) {
            (self.amount, self.currency, self.terminal) = (amount, currency, terminal)
        }

        /// Whether a booking says nothing else.
        package func isMet(by fields: ZVTFields) -> Bool {
            (fields.amount ?? amount) == amount && (fields.currency ?? currency) == currency
                && (terminal == nil || fields.terminal == nil || fields.terminal == terminal)
        }
    }

    /// A dialogue whose command is being sent at `now`.
    ///
    /// - Parameters:
    ///   - expected: of a booking that succeeds; nil for commands without one.
    ///   - silence: how long the machine may be silent; each of its messages starts it again.
    package init(expecting expected: Expected? = nil, silence: Duration = .seconds(180), at now: Instant) {
        (self.expected, self.silence) = (expected, silence)
        limit = now + Self.receiptTime
        last = now + silence * Self.mostSilences
    }

    package var deadline: Instant? { step == .ended || step == .keeping ? nil : limit }

    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch (step, event) {
        case (.ended, _): return []
        case (.sent, .received(let message)): return received(first: message, at: now)
        case (.running, .received(let message)): return received(message, at: now)
        case (.keeping, .kept(let isKept)): return kept(isKept, at: now)
        case (.sent, .abortWanted), (.running, .abortWanted), (.keeping, .abortWanted):
            return abort(at: now)
        case (.sent, .connectionEnded), (.running, .connectionEnded), (.keeping, .connectionEnded):
            return end(.lost(.connectionEnded))
        case (.sent, .timeAdvanced): return now < limit ? [] : end(.lost(.noReceipt))
        case (.running, .timeAdvanced):
            guard now >= limit else { return [] }
            return isAborting ? end(.lost(.silence)) : abort(at: now)
        case (.sent, .kept), (.running, .kept), (.keeping, .received), (.keeping, .timeAdvanced): return []
        }
    }

    private mutating func received(first message: ZVTMessage, at now: Instant) -> [Effect] {
        switch message {
        case .accepted:
            (step, limit) = (.running, now + silence)
            // Somebody wanted no more of it while it was sent.
            return isAborting ? [.send(Self.abortPacket)] : []
        case .refused(let code): return end(.refused(code))
        // Some machines send no receipt, and begin at once.
        case .progress, .status, .completed, .aborted, .printLine, .paperEnd, .printBlock, .other:
            step = .running
            return received(message, at: now)
        }
    }

    private mutating func received(_ message: ZVTMessage, at now: Instant) -> [Effect] {
        wait(isAborting ? Self.abortTime : silence, from: now)
        switch message {
        // The receipt of an abort, or its refusal.
        case .accepted, .refused: return []
        case .progress(let code, let minutes):
            if let minutes, minutes > 0, !isAborting { wait(max(silence, .seconds(minutes * 60)), from: now) }
            return [.send(ZVTMessage.acknowledgement), .show(code)]
        case .status(let fields):
            (status, isAcknowledged) = (fields, false)
            return keep()
        case .printLine(let line):
            guard isRoomForPaper else { return [.send(ZVTMessage.acknowledgement)] }
            if paper.last?.isOpen != true {
                paper.append(ZVTPaper(kind: nil, lines: []))
                paper[paper.count - 1].isOpen = true
            }
            paper[paper.count - 1].lines.append(line)
            return [.send(ZVTMessage.acknowledgement)]
        case .paperEnd:
            if !paper.isEmpty { paper[paper.count - 1].isOpen = false }
            return [.send(ZVTMessage.acknowledgement)]
        case .printBlock(let block):
            guard let block, isRoomForPaper else { return [.send(ZVTMessage.acknowledgement)] }
            paper.append(block)
            return status == nil ? [.send(ZVTMessage.acknowledgement)] : keep()
        case .completed(let code, let fields): return completed(code, fields)
        case .aborted(let code):
            // A booking that was acknowledged as a success and then aborted says two things.
            let isContradiction = status?.result == 0 && !isRefused
            return [.send(ZVTMessage.acknowledgement)]
                + end(isContradiction ? .lost(.contradiction) : .aborted(code))
        case .other: return [.send(ZVTMessage.acknowledgement)]
        }
    }

    private mutating func wait(_ duration: Duration, from now: Instant) {
        limit = min(now + duration, last)
    }

    private var isRoomForPaper: Bool { paper.reduce(0) { $0 + max(1, $1.lines.count) } < Self.mostLines }

    private mutating func keep() -> [Effect] {
        step = .keeping
        return [.keep(status ?? ZVTFields([UInt8]()), paper: paper)]
    }

    /// A booking that is not on disk, is not the one that was requested, or that nobody wants any more is not
    /// acknowledged as one: the machine reverses it. Its paper behind it is acknowledged in any case, since a
    /// machine that got no for its paper may complete the booking.
    private mutating func kept(_ isKept: Bool, at now: Instant) -> [Effect] {
        step = .running
        wait(silence, from: now)
        guard !isAcknowledged else { return [.send(ZVTMessage.acknowledgement)] }
        let isBooked = status?.result == 0
        let isUnwanted =
            isBooked && (isAborting || expected?.isMet(by: status ?? ZVTFields([UInt8]())) == false)
        guard isKept, !isUnwanted else {
            isRefused = isRefused || isBooked
            return [.send(ZVTMessage.notStored)]
        }
        isAcknowledged = true
        return [.send(ZVTMessage.acknowledgement)]
    }

    private mutating func completed(_ code: UInt8?, _ fields: ZVTFields) -> [Effect] {
        let acknowledgement = Effect.send(ZVTMessage.acknowledgement)
        // It was to reverse the booking: its last one shows whether it did.
        if isRefused { return [acknowledgement] + end(.lost(.contradiction)) }
        return [acknowledgement]
            + end(.completed(ZVTOutcome(status: status, code: code, completion: fields, paper: paper)))
    }

    private mutating func abort(at now: Instant) -> [Effect] {
        guard !isAborting else { return [] }
        isAborting = true
        last = now + max(silence, Self.abortTime)
        guard step == .running else { return [] }
        limit = now + Self.abortTime
        return [.send(Self.abortPacket)]
    }

    private static let abortPacket = ZVTPacket(0x06B0)

    private mutating func end(_ end: End) -> [Effect] {
        step = .ended
        return [.end(end)]
    }
}

/// What a completed command said.
package struct ZVTOutcome: Hashable, Sendable {
    /// The last status information; nil: none came.
    package let status: ZVTFields?
    /// Of a status enquiry: 0 is ready.
    package let code: UInt8?
    /// What came with the completion itself.
    package let completion: ZVTFields
    package let paper: [ZVTPaper]

    /// What an enquiry or a registration says of the machine, 0 for ready, wherever it says so: in the
    /// completion, as the specification has it, or in a status information before; nil: it says nothing.
    package var readiness: UInt8? { code ?? completion.status ?? status?.result }
}

/// A paper of the machine, without any card number.
package struct ZVTPaper: Hashable, Sendable {
    /// 1 for the shop, 2 for the customer, 3 of administration; nil where the machine did not say.
    package let kind: UInt8?
    package internal(set) var lines: [String]
    /// Whether further lines belong to it.
    var isOpen = false

    package init(kind: UInt8?, lines: [String]) { (self.kind, self.lines) = (kind, lines) }
}
