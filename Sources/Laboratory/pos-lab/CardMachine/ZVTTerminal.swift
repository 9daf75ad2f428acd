internal import Foundation
internal import Glibc

/// Plays a payment terminal of ZVT (PA00P015) over TCP, from the specification's side: it shares no code with
/// the till. A booking is final once the till has acknowledged its status information, as chapter 2.2.9 has
/// it; without that it is reversed.
struct ZVTTerminal {
    /// What it does wrong, in the payments alone: enrolment, enquiry and repetition stay as they are.
    enum Fault: String, CaseIterable {
        /// The line is cut in place of its n-th message, counted from the receipt of the command.
        case cut
        /// The line is cut behind its n-th message, so that the till's response to it is lost.
        case deaf
        /// It says nothing more from its n-th message on, and keeps the line.
        case mute
        /// The card is declined by the bank.
        case decline
        /// It is busy with something else.
        case busy
        /// The shopper takes n seconds to find the card.
        case slow
        /// Each byte is a packet of its own.
        case split
        /// It books n minor units more than was requested.
        case amount
        /// Its status enquiry does not exist.
        case noEnquiry
        /// A repetition is completed without the status information.
        case bareRepetition
        /// It prints the whole card number, and sends it, also with its second track.
        case wholeNumber
    }

    let terminal: [UInt8]
    let currency: [UInt8]
    /// Seconds that its clock is ahead.
    let clockOffset: Int
    let fault: (kind: Fault, number: Int)?
    var ledger: ZVTLedger

    /// Serves one connection to its end.
    mutating func serve(_ line: ZVTLine) {
        while let (control, data) = line.read(within: 600) {
            switch control {
            case 0x0600: register(line)
            case 0x0601: authorise(data, line)
            case 0x0630: reverse(data, line)
            case 0x0631: pay(amount: Self.amount(data.dropFirst(3)) ?? 0, .refund, nil, line)
            case 0x0620: repeatLast(data, line)
            case 0x0650: endDay(line)
            case 0x0501:
                if fault?.kind == .noEnquiry {
                    line.send([0x84, 0x83, 0])
                } else {
                    line.send([0x80, 0, 0])
                    line.post([0x06, 0x0F, 1, 0])
                }
            case 0x06B0: line.send([0x80, 0, 0])
            case _: line.send([0x84, 0x83, 0])
            }
            if line.isClosed { return }
        }
    }

    private func register(_ line: ZVTLine) {
        line.send([0x80, 0, 0])
        line.post([0x06, 0x0F, 10, 0x19, 0, 0x29] + terminal + [0x49] + currency)
    }

    private mutating func authorise(_ data: [UInt8], _ line: ZVTLine) {
        guard fault?.kind != .busy else { return line.send([0x84, 0x9C, 0]) }
        line.begin(fault)
        defer { line.begin(nil) }
        line.send([0x80, 0, 0])
        guard line.post([0x04, 0xFF, 2, 0x0A, 1]), !isAborted(line), line.post([0x04, 0xFF, 2, 0x04, 1])
        else {
            return
        }
        guard fault?.kind != .decline else {
            book(.sale, Self.amount(data) ?? 0, nil, result: 0x05, line)
            line.post([0x06, 0x1E, 1, 0x05])
            return
        }
        let more = fault?.kind == .amount ? Int64(fault?.number ?? 0) : 0
        finish(.sale, (Self.amount(data) ?? 0) + more, nil, line)
    }

    /// Whether the till aborted while the shopper looks for the card.
    private func isAborted(_ line: ZVTLine) -> Bool {
        guard fault?.kind == .slow, let number = fault?.number else { return false }
        for _ in 0..<(number * 5) {
            if let (control, _) = line.read(within: 0.2), control == 0x06B0 {
                line.send([0x80, 0, 0])
                line.post([0x06, 0x1E, 1, 0x6C])
                return true
            }
            if line.isClosed { return true }
        }
        return false
    }

    private mutating func reverse(_ data: [UInt8], _ line: ZVTLine) {
        guard data.count > 6, data[3] == 0x87 else { return line.send([0x84, 0x9A, 0]) }
        let receipt =
            Int(data[4] >> 4) * 1000 + Int(data[4] & 15) * 100 + Int(data[5] >> 4) * 10 + Int(data[5] & 15)
        let amount = Self.amount(data.dropFirst(6)) ?? 0
        guard ledger.sale(receipt, amount: amount) != nil else {
            line.send([0x80, 0, 0])
            line.post([0x06, 0x1E, 1, 0xB5])
            return
        }
        pay(amount: amount, .reversal, receipt, line)
    }

    private mutating func pay(
        amount: Int64, _ kind: ZVTLedger.Booking.Kind, _ original: Int?, _ line: ZVTLine
    ) {
        line.send([0x80, 0, 0])
        guard line.post([0x04, 0xFF, 2, 0x04, 1]) else { return }
        finish(kind, amount, original, line)
    }

    /// Status information, paper and completion.
    private mutating func finish(
        _ kind: ZVTLedger.Booking.Kind, _ amount: Int64, _ original: Int?, _ line: ZVTLine
    ) {
        switch book(kind, amount, original, result: 0, line) {
        case nil: return
        case false?:
            // The till did not take it: it is reversed, and that is said.
            line.post(Self.status(booking(kind, amount, original), self, result: 0x6C))
            line.post([0x06, 0x1E, 1, 0x6C])
        case true?:
            guard line.post(paper(amount)) else { return }
            line.post([0x06, 0x0F, 0])
        }
    }

    /// - Returns: whether the till acknowledged it; nil: the line ended, and nothing is booked.
    @discardableResult
    private mutating func book(
        _ kind: ZVTLedger.Booking.Kind, _ amount: Int64, _ original: Int?, result: UInt8, _ line: ZVTLine
    ) -> Bool? {
        let booking = booking(kind, amount, original)
        switch line.exchange(Self.status(booking, self, result: result)) {
        case nil: return nil
        case 0x8000?, 0x8400?:
            if result == 0 { ledger.book(booking) }
            return true
        case _?: return false
        }
    }

    private func booking(
        _ kind: ZVTLedger.Booking.Kind, _ amount: Int64, _ original: Int?
    ) -> ZVTLedger.Booking {
        var now = Glibc.time(nil) + clockOffset
        var parts = tm()
        localtime_r(&now, &parts)
        return ZVTLedger.Booking(
            kind: kind, receipt: ledger.nextReceipt, amount: amount,
            date: Self.digits(Int64(parts.tm_mon + 1) * 100 + Int64(parts.tm_mday), 2),
            time: Self.digits(
                Int64(parts.tm_hour) * 10_000 + Int64(parts.tm_min) * 100 + Int64(parts.tm_sec), 3),
            original: original)
    }

    private func repeatLast(_ data: [UInt8], _ line: ZVTLine) {
        line.send([0x80, 0, 0])
        guard let last = ledger.bookings.last else {
            line.post([0x06, 0x1E, 1, 0x64])
            return
        }
        if fault?.kind != .bareRepetition {
            guard line.post(Self.status(last, self, result: 0)) else { return }
        }
        // The service byte says whether it prints.
        if data.count > 4, data[4] & 2 == 0 {
            guard line.post(paper(last.amount)) else { return }
        }
        line.post([0x06, 0x0F, 0])
    }

    private mutating func endDay(_ line: ZVTLine) {
        line.send([0x80, 0, 0])
        let count = ledger.bookings.count
        let total = Self.digits(abs(ledger.total), 6)
        guard
            line.post([0x04, 0x0F, 12, 0x27, 0, 0x04] + total + [0x49] + currency),
            ledger.bookings.count == count
        else { return }
        ledger.endDay()
        line.post([0x06, 0x0F, 0])
    }
}

/// The bytes of its messages.
extension ZVTTerminal {
    static func digits(_ value: Int64, _ count: Int) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8](repeating: 0, count: count))
        for place in bytes.indices.reversed() {
            bytes[place] = UInt8(rest % 10) | UInt8(rest / 10 % 10) << 4
            rest /= 100
        }
        return bytes
    }

    /// Of the first object 04.
    private static func amount(_ data: some Collection<UInt8>) -> Int64? {
        let bytes = Array(data)
        guard bytes.count >= 7, bytes[0] == 0x04 else { return nil }
        return bytes[1...6].reduce(0) { $0 * 100 + Int64($1 >> 4) * 10 + Int64($1 & 15) }
    }

    private static func status(
        _ booking: ZVTLedger.Booking, _ terminal: ZVTTerminal, result: UInt8
    ) -> [UInt8] {
        var data: [UInt8] = [0x27, result, 0x04] + digits(booking.amount, 6)
        data += [0x0B] + digits(Int64(booking.receipt), 3)
        if let original = booking.original { data += [0x37] + digits(Int64(original), 3) }
        data += [0x0C] + booking.time + [0x0D] + booking.date
        data += [0x29] + terminal.terminal + [0x49] + terminal.currency
        data += [0x87] + digits(Int64(booking.receipt), 2)
        data += [0x3B] + Array("771204".utf8) + [0, 0, 0x8A, 6]
        data +=
            terminal.fault?.kind == .wholeNumber
            ? [0x22, 0xF0, 0xF8, 0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11]
                + [0x23, 0xF1, 0xF2, 0x41, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0xD2, 0x51, 0x2F, 0xFF]
            : [0x22, 0xF0, 0xF8, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0x41, 0x11]
        data += [0x8B, 0xF1, 0xF1] + Array("MASTERCARD".utf8) + [0]
        data += [0x06, 0x0E, 0x2F, 0x0C, 0x1F, 0x10, 1, 0, 0x1F, 0x11, 1, 1, 0x1F, 0x12, 1, 2]
        return [0x04, 0x0F, UInt8(data.count)] + data
    }

    private func paper(_ amount: Int64) -> [UInt8] {
        let number = fault?.kind == .wholeNumber ? "4111111111111111" : "############1111"
        let lines = ["SIMULATED TERMINAL", "CARD \(number)", "TOTAL \(amount)"]
        let texts = lines.flatMap { line -> [UInt8] in [0x07, UInt8(line.utf8.count)] + Array(line.utf8) }
        let block: [UInt8] = [0x1F, 0x07, 1, 2, 0x25, UInt8(texts.count)] + texts
        return [0x06, 0xD3, UInt8(block.count + 2), 0x06, UInt8(block.count)] + block
    }
}
