import Agent
import Base
import LinuxRuntime
import MachineRuntime

/// A terminal of ZVT: frames over a connection, and no name of the till's for a payment.
extension CardTerminal {
    /// Where the till reaches it.
    nonisolated static let place = "tcp:127.0.0.1:20007"

    struct ZVTMemory {
        /// What a repetition of the last receipt shows.
        struct Last {
            let receipt: Int
            let amount: Int64
            /// Milliseconds of the terminal's clock.
            let at: Int64
            /// Of the booking that it undoes; nil: it undoes none.
            var original: Int?
        }

        var lines: [MachineLine] = []
        /// Its cable is out until then, by the clock of the world: the till may be started anew meanwhile.
        var pulledUntil = Instant(nanoseconds: 0)
        var last: Last?
        /// The newest number when the till looked before its newest request.
        var numberBefore: Int?

        /// The number on the paper of the till's newest request; nil: it printed none.
        var paper: Int? { last?.receipt == numberBefore ? nil : last?.receipt }
    }

    /// A connection of the till; nil: nobody accepts it.
    func connect() async -> MachineLine? {
        guard !isCutOff, time.base.now() >= zvt.pulledUntil, !acts(.machineDark) else { return nil }
        await pause(.milliseconds(20))
        guard !isCutOff else { return nil }
        let line = MachineLine(time: time)
        zvt.lines = zvt.lines.filter { !$0.isShut } + [line]
        Task { await serve(line) }
        return line
    }

    private func serve(_ line: MachineLine) async {
        var isQuery = false
        while let (control, data) = await line.next(within: .seconds(600)) {
            switch control {
            case 0x0600:
                line.send([0x80, 0, 0])
                await line.post([0x06, 0x0F, 10, 0x19, 0, 0x29] + Self.terminal + [0x49] + Self.currency)
            case 0x0501:
                isQuery = true
                line.send([0x80, 0, 0])
                await line.post([0x06, 0x0F, 1, isRunning ? 0x9C : 0])
            case 0x0620:
                if !isQuery { zvt.numberBefore = zvt.last?.receipt }
                await repeatLast(line)
            case 0x0601, 0x0630, 0x0631:
                guard !isRunning, !acts(.machineBusy) else {
                    line.send([0x84, 0x9C, 0])
                    break
                }
                guard !acts(.machineMisses, oneIn: 2) else { return line.shut() }
                line.send([0x80, 0, 0])
                await work(control, data, line)
            case _: line.send([0x84, 0x83, 0])
            }
        }
    }

    private func work(_ control: UInt16, _ data: [UInt8], _ line: MachineLine) async {
        let mine = starts
        isRunning = true
        defer { if mine == starts { isRunning = false } }
        guard await line.post([0x04, 0xFF, 2, 0x0A, 1]) else { return }
        if control == 0x0601 {
            for _ in 0..<halfSeconds() where !line.isShut { await shop() }
        }
        guard !line.isShut, mine == starts else { return }
        let number = zvt.last.map { $0.receipt % 9999 + 1 } ?? 1
        let now = time.base.wallMilliseconds()
        switch control {
        case 0x0601:
            let last = ZVTMemory.Last(receipt: number, amount: Self.amount(data), at: now)
            if acts(.machineDeclines) {
                await line.post(Self.status(last, approval: "", result: 0x05))
                await line.post([0x06, 0x1E, 1, 0x05])
            } else if await isKept(last, line) {
                _ = book(last.amount, key: nil, receipt: number)
                await finish(last, line)
            }
        case 0x0630:
            let original = data.count > 5 ? Self.number(data[4...5]) : 0
            let last = ZVTMemory.Last(
                receipt: number, amount: Self.amount(data.dropFirst(6)), at: now, original: original)
            guard let place = bookings.lastIndex(where: { $0.receipt == original && $0.held == last.amount })
            else {
                await line.post([0x06, 0x1E, 1, 0xB5])
                return
            }
            guard await isKept(last, line) else { return }
            giveBack(last.amount, of: place)
            await finish(last, line)
        case _:
            let last = ZVTMemory.Last(receipt: number, amount: Self.amount(data.dropFirst(3)), at: now)
            guard await isKept(last, line) else { return }
            unlinked += last.amount
            world.trace.note("machine \(till)", "gave \(last.amount) to a card")
            await finish(last, line)
        }
    }

    /// Whether the till acknowledged the booking, which is final with that.
    private func isKept(_ last: ZVTMemory.Last, _ line: MachineLine) async -> Bool {
        let approval = "A\(till)-\(bookings.count + 1)"
        switch await line.exchange(Self.status(last, approval: approval, result: 0)) {
        case nil: return false
        case 0x8000?, 0x8400?: return true
        case _?:
            await line.post([0x06, 0x1E, 1, 0x6C])
            return false
        }
    }

    private func finish(_ last: ZVTMemory.Last, _ line: MachineLine) async {
        zvt.last = last
        if acts(.machineLoses, oneIn: 2) {
            zvt.pulledUntil = time.base.now() + .seconds(Int64(halfSeconds()) * 2)
            return line.shut()
        }
        await line.post([0x06, 0x0F, 0])
    }

    private func repeatLast(_ line: MachineLine) async {
        line.send([0x80, 0, 0])
        guard let last = zvt.last else {
            await line.post([0x06, 0x1E, 1, 0x64])
            return
        }
        let approval = bookings.last { $0.receipt == last.receipt }?.approval ?? ""
        await line.post(Self.status(last, approval: approval, result: 0))
        await line.post([0x06, 0x0F, 0])
    }
}

/// The bytes of its messages.
extension CardTerminal {
    private static let terminal: [UInt8] = [0x52, 0x50, 0x00, 0x33]
    /// That of the shop's catalogue.
    private static let currency: [UInt8] = [0x01, 0x56]

    private static func status(_ last: ZVTMemory.Last, approval: String, result: UInt8) -> [UInt8] {
        let seconds = last.at / 1000
        let date = CivilDate(daysSince1970: seconds / 86_400)
        let ofDay = seconds % 86_400
        let clock = ofDay / 3600 * 10_000 + ofDay / 60 % 60 * 100 + ofDay % 60
        var data: [UInt8] = [0x27, result, 0x04] + digits(last.amount, 6)
        if let original = last.original { data += [0x37] + digits(Int64(original), 3) }
        data += [0x0C] + digits(clock, 3) + [0x0D] + digits(Int64(date.month * 100 + date.day), 2)
        data += [0x29] + terminal + [0x49] + currency + [0x87] + digits(Int64(last.receipt), 2)
        data += [0x22, 0xF0, 0xF8] + digits(Int64(cardNumber) ?? 0, 8)
        data += [0x3B] + (Array(approval.utf8) + Array(repeating: 0, count: 8)).prefix(8)
        return [0x04, 0x0F, UInt8(data.count)] + data
    }

    private static func digits(_ value: Int64, _ count: Int) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8](repeating: 0, count: count))
        for place in bytes.indices.reversed() {
            bytes[place] = UInt8(rest % 10) | UInt8(rest / 10 % 10) << 4
            rest /= 100
        }
        return bytes
    }

    private static func number(_ digits: some Sequence<UInt8>) -> Int {
        digits.reduce(0) { $0 * 100 + Int($1 >> 4) * 10 + Int($1 & 15) }
    }

    /// Of an object 04 at the beginning.
    private static func amount(_ data: some Sequence<UInt8>) -> Int64 {
        Int64(number(data.dropFirst().prefix(6)))
    }
}
