import Base

internal import HubProtocol
internal import MachineRuntime
internal import Retail
internal import ZVT

/// A card machine that speaks ZVT (PA00P015) over TCP.
///
/// One connection for each dialogue, since machines close idle ones without a word. ZVT knows no key of ours:
/// after a lost response the machine's last booking decides, by ``ZVTOpenPayment``.
struct ZVTCardMachine: DeviceAdapter {
    let kind = DeviceKind.zvt
    let address: String
    let abilities: Set<DeviceAbility> = [.remembersLast, .voidsCharge, .refundsUnlinked, .showsProgress]
    private let place: DeviceAddress
    private let connect: @Sendable (DeviceAddress, Duration) async -> (any DeviceLine)?
    private let password: ZVTPassword
    private let silence: Duration
    private let time: any SystemTime
    private let ledger: any DevicePeriodKeeping
    /// Seconds since 1970 that a clock in the shop shows at a moment of Unix milliseconds.
    private let localSeconds: @Sendable (Int64) -> Int64

    /// For a machine of the shop's network.
    private static let connectTime = Duration.seconds(5)
    /// For dialogues in which nobody does anything at the machine.
    private static let shortSilence = Duration.seconds(20)

    init(
        _ place: DeviceAddress, password: ZVTPassword, silence: Duration, time: any SystemTime,
        ledger: any DevicePeriodKeeping,
        connect: @escaping @Sendable (DeviceAddress, Duration) async -> (any DeviceLine)?,
        localSeconds: @escaping @Sendable (Int64) -> Int64
    ) {
        self.place = place
        self.connect = connect
        self.password = password
        self.silence = silence
        self.time = time
        self.ledger = ledger
        self.localSeconds = localSeconds
        address = place.text
    }

    func perform(
        _ request: DeviceRequest, original: DeviceProof?, _ steps: DeviceSteps
    ) async -> DeviceResponse {
        guard let currency = ZVTCurrency.number(of: request.currency),
            let command = command(request, original, currency)
        else { return .notSent(.refused) }
        let connection: ZVTConnection
        switch await registered(currency) {
        case .failure(let trouble): return .notSent(trouble)
        case .success(let open): connection = open
        }
        let last: ZVTFields?
        switch await repeated(connection) {
        case .failure(let trouble): return .notSent(trouble)
        case .success(let booking): last = booking
        }
        // Some say it with their bookings alone.
        let terminal = connection.terminal ?? last?.terminal
        let machineId = terminal.map(Self.terminalId)
        let known = last == nil ? await steps.lastReceipt(machineId) : last?.receipt
        let origin = DeviceRequest.Origin(
            kind: kind, address: address, machineId: machineId, lastReceipt: known,
            lastMoment: last?.moment)
        guard await steps.open(origin) else { return .notSent(.notKept) }
        let end = await connection.run(
            command,
            ZVTDialogue(
                expecting: ZVTDialogue.Expected(
                    amount: request.amount, currency: currency, terminal: terminal),
                silence: silence, at: time.now()), giveUp: steps.giveUp,
            keeping: { fields, paper in
                await steps.report(Self.proof(fields, paper, terminal: terminal))
            }, showing: { code in DeviceProgress(zvt: code).map(steps.show) })
        return Self.response(end, terminal: terminal)
    }

    func find(_ request: DeviceRequest, original: DeviceProof?, silence: Duration) async -> DeviceFinding {
        guard let currency = ZVTCurrency.number(of: request.currency), let origin = request.origin,
            let terminal = origin.machineId.flatMap({ Int64($0) })
        else { return .undecidable(detail: "the machine said no terminal id before the payment") }
        let connection: ZVTConnection
        switch await registered(currency) {
        case .failure(let trouble): return .open(detail: trouble.rawValue)
        case .success(let open): connection = open
        }
        switch await short(connection, .statusEnquiry(password: password)) {
        case .completed(let outcome) where outcome.readiness == 0: break
        // It has no status that could become "ready".
        case .completed(let outcome) where outcome.readiness == nil:
            return .undecidable(detail: "the machine's status enquiry says nothing")
        case .completed, .aborted(0x9C), .refused(0x9C), .lost: return .open(detail: "busy")
        case .aborted, .refused: return .undecidable(detail: "the machine has no status enquiry")
        }
        let open = ZVTOpenPayment(
            terminal: terminal, amount: request.amount, currency: currency, lastReceipt: origin.lastReceipt,
            lastMoment: origin.lastMoment, intent: localSeconds(request.openedAt))
        switch await repeated(connection) {
        case .failure: return .open(detail: "the last booking was not read")
        case .success(let last?):
            let finding = finding(request, open, last, silence)
            guard case .done = finding else { return finding }
            // Its paper was lost with the response.
            return .done(Self.proof(last, await paper(of: last, connection), terminal: last.terminal))
        // A machine that has no booking and one that cannot show it say the same.
        case .success(nil): return .undecidable(detail: "the machine shows no booking")
        }
    }

    private func finding(
        _ request: DeviceRequest, _ open: ZVTOpenPayment, _ last: ZVTFields, _ silence: Duration
    ) -> DeviceFinding {
        // For what gives money back a reversal is what was requested.
        let isReversal = request.purpose == .charge && last.isReversal
        let proof = open.proof(
            by: last, isReversal: isReversal, silence: silence.wholeMilliseconds / 1000)
        switch proof {
        case .charged: return .done(Self.proof(last, [], terminal: last.terminal))
        case .notCharged: return .notDone(reason: "the machine did not book it")
        case .undecided where open.isSeenBefore(last):
            return .open(detail: "the machine may still be at it")
        case .undecided: return .undecidable(detail: "the machine's last booking is another one")
        }
    }

    private func command(
        _ request: DeviceRequest, _ original: DeviceProof?, _ currency: Int64
    ) -> ZVTCommand? {
        switch request.purpose {
        case .charge: .authorisation(amount: request.amount, currency: currency)
        case .refund: .refund(password: password, amount: request.amount, currency: currency)
        // An end of day is a dialogue of its own.
        case .closing: nil
        case .reversal:
            original?.receipt.map {
                .reversal(password: password, receipt: $0, amount: request.amount, currency: currency)
            }
        }
    }
}

/// Dialogues beside payments.
extension ZVTCardMachine {
    /// A connection over which the machine knows the till.
    private func registered(_ currency: Int64) async -> Result<ZVTConnection, DeviceTrouble> {
        guard let stream = await connect(place, Self.connectTime) else {
            return .failure(.unreachable)
        }
        var connection = ZVTConnection(stream: stream, time: time)
        switch await short(connection, .registration(password: password, currency: currency)) {
        case .completed(let outcome):
            let own = outcome.completion.currency ?? outcome.status?.currency
            guard own ?? currency == currency else { return .failure(.refused) }
            if outcome.readiness == 0x9C { return .failure(.busy) }
            connection.terminal = outcome.completion.terminal ?? outcome.status?.terminal
            return .success(connection)
        case .aborted(0x9C), .refused(0x9C), .aborted(0x9D), .refused(0x9D): return .failure(.busy)
        case .aborted, .refused: return .failure(.refused)
        case .lost: return .failure(.unreachable)
        }
    }

    /// The last booking; nil inside: the machine has none, or shows none.
    private func repeated(_ connection: ZVTConnection) async -> Result<ZVTFields?, DeviceTrouble> {
        switch await short(connection, .repeatReceipt(password: password)) {
        case .completed(let outcome): .success(outcome.status)
        case .aborted(0x9C), .refused(0x9C), .aborted(0x9D), .refused(0x9D): .failure(.busy)
        case .aborted, .refused: .success(nil)
        case .lost: .failure(.unreachable)
        }
    }

    /// Empty where the machine shows another booking, or none.
    private func paper(of booking: ZVTFields, _ connection: ZVTConnection) async -> [ZVTPaper] {
        guard
            case .completed(let outcome) = await short(
                connection, .repeatReceipt(password: password, prints: true)),
            outcome.status?.receipt == booking.receipt
        else { return [] }
        return outcome.paper
    }

    func look(currency: String) async -> DeviceLook {
        guard let number = ZVTCurrency.number(of: currency) else { return DeviceLook(trouble: .refused) }
        let connection: ZVTConnection
        switch await registered(number) {
        case .failure(let trouble): return DeviceLook(trouble: trouble)
        case .success(let open): connection = open
        }
        var look = DeviceLook(machineId: connection.terminal.map(Self.terminalId))
        if case .completed(let outcome) = await short(connection, .statusEnquiry(password: password)),
            outcome.readiness == 0x9C
        {
            look.trouble = .busy
            return look
        }
        guard case .success(let last?) = await repeated(connection) else { return look }
        look.last = DeviceBooking(
            receipt: last.receipt, amount: last.amount, at: last.moment, isReversal: last.isReversal,
            isApproved: last.result == 0)
        return look
    }

    func closeDay(currency: String) async -> Result<ClosedDeviceDay, DeviceTrouble> {
        guard let number = ZVTCurrency.number(of: currency) else { return .failure(.refused) }
        switch await registered(number) {
        case .failure(let trouble): return .failure(trouble)
        case .success(let connection):
            guard let before = try? await ledger.periods(at: address) else { return .failure(.notKept) }
            // Ahead of the command: its response may be lost with the agent.
            var ending = before
            ending.ending = "lost"
            guard (try? await ledger.keep(ending, at: address)) != nil else { return .failure(.notKept) }
            let end = await connection.run(
                .endOfDay(password: password), ZVTDialogue(silence: silence, at: time.now()),
                keeping: { _, _ in true }, showing: { _ in })
            switch end {
            case .completed(let outcome):
                try? await ledger.keep(DevicePeriods(), at: address)
                return .success(
                    ClosedDeviceDay(
                        sum: outcome.status?.amount ?? outcome.completion.amount,
                        machineId: connection.terminal.map(Self.terminalId),
                        mayBeSecond: before.ending != nil))
            case .aborted(let code), .refused(let code):
                // It closed nothing now; one before it may be lost all the same.
                try? await ledger.keep(before, at: address)
                return .failure(code == 0x9C ? .busy : .refused)
            case .lost: return .failure(.unreachable)
            }
        }
    }

    private func short(_ connection: ZVTConnection, _ command: ZVTCommand) async -> ZVTDialogue.End {
        await connection.run(
            command, ZVTDialogue(silence: Self.shortSilence, at: time.now()), keeping: { _, _ in true },
            showing: { _ in })
    }

    private static func terminalId(_ number: Int64) -> String { BCD.text(number, digits: 8) }

    private static func response(_ end: ZVTDialogue.End, terminal: Int64?) -> DeviceResponse {
        switch end {
        case .completed(let outcome):
            guard let status = outcome.status, status.isWhole || status.result != nil else {
                return .lost(detail: "the machine completed the payment without saying what it booked")
            }
            guard status.result == 0 else {
                return .declined(reason: ZVTErrorText.english(status.result ?? 0xFF))
            }
            return .done(proof(status, outcome.paper, terminal: terminal))
        case .aborted(let code): return .declined(reason: ZVTErrorText.english(code))
        case .refused(0x9C): return .notSent(.busy)
        case .refused(let code): return .declined(reason: ZVTErrorText.english(code))
        case .lost(let loss): return .lost(detail: "the card machine's response was lost (\(loss.rawValue))")
        }
    }

    private static func proof(_ fields: ZVTFields, _ paper: [ZVTPaper], terminal: Int64?) -> DeviceProof {
        var proof = DeviceProof(reference: fields.receipt.map(String.init) ?? "")
        proof.approvalCode = fields.approval ?? ""
        proof.machineId = (fields.terminal ?? terminal).map(terminalId)
        proof.receipt = fields.receipt
        proof.brand = fields.cardName
        proof.last4 = fields.cardEnd
        proof.isOffline = fields.isOnline == false
        proof.customerPaper = paper.filter { $0.kind != 1 && $0.kind != 3 }.flatMap(\.lines)
        proof.merchantPaper = paper.filter { $0.kind == 1 }.flatMap(\.lines)
        return proof
    }
}

extension DeviceProgress {
    /// Nil for progress that says nothing to people.
    fileprivate init?(zvt code: UInt8) {
        switch code {
        case 0x0A: self = .insertCard
        case 0x01, 0x02: self = .enterPIN
        case 0x0B: self = .removeCard
        case 0x04, 0x05, 0x06, 0x0E, 0x0F: self = .wait
        case 0x15: self = .wrongPIN
        case 0x1C: self = .approved
        case 0x1D: self = .declined
        case 0x41...0x4F: self = .removeCard
        case _: return nil
        }
    }
}
