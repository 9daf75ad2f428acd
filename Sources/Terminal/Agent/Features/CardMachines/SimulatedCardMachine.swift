internal import HubProtocol
internal import Retail

/// The simulated card machine: one JSON object a line over TCP, a response line for each request.
///
/// `{"op":"charge","key","amount","currency"}`, `{"op":"state","key"}` and `{"op":"void","key"}` are
/// responded with `{"key","state":"charged|declined|voided|unknown","reference","approvalCode","reason"}`,
/// `{"op":"refund","key","refund","amount","currency"}` with `{"key","refund","state":"refunded|refused",
/// "reason"}`. No money moves.
struct SimulatedCardMachine: DeviceAdapter {
    let kind = DeviceKind.simulated
    let address: String
    let abilities: Set<DeviceAbility> = [.queriesByKey, .voidsCharge, .refundsLinked]
    private let place: DeviceAddress
    private let deadline: Duration

    /// How long a query, a void or a refund may take: nobody inserts a card.
    private static let shortDeadline = Duration.seconds(10)

    /// - Parameter deadline: for a charge.
    init(_ place: DeviceAddress, deadline: Duration) {
        (self.place, self.deadline) = (place, deadline)
        address = place.text
    }

    func perform(
        _ request: DeviceRequest, original: DeviceProof?, _ steps: DeviceSteps
    ) async -> DeviceResponse {
        guard let stream = await DeviceStream.connect(to: place, within: deadline) else {
            return .notSent(.unreachable)
        }
        guard await steps.open(DeviceRequest.Origin(kind: kind, address: address)) else {
            return .notSent(.notKept)
        }
        switch request.purpose {
        case .charge:
            let work = Task { await send(Self.charge(request), over: stream, deadline) }
            let watch = Task { if await steps.giveUp.wait() { work.cancel() } }
            defer { watch.cancel() }
            return Self.response(await work.value, to: request)
        case .closing: return .notSent(.refused)
        case .reversal: return await void(request.chargeKey, over: stream)
        case .refund:
            return Self.refundAnswer(
                await send(Self.refund(request), over: stream, Self.shortDeadline), to: request)
        }
    }

    /// A charge that the machine does not have is voided, so that one that is still on its way is declined.
    func find(_ request: DeviceRequest, original: DeviceProof?, silence: Duration) async -> DeviceFinding {
        guard let stream = await DeviceStream.connect(to: place, within: Self.shortDeadline) else {
            return .open(detail: "the card machine was not reached")
        }
        switch request.purpose {
        case .charge:
            let state = await send(
                ["op": "state", "key": .string(request.key)], over: stream, Self.shortDeadline)
            if case let known = Self.finding(Self.response(state, to: request)), !known.isOpen {
                return known
            }
            guard state?["key"]?.string == request.key,
                let next = await DeviceStream.connect(to: place, within: Self.shortDeadline)
            else { return .open(detail: "the card machine did not respond") }
            guard case .done = await void(request.key, over: next) else {
                return .open(detail: "the card machine did not respond")
            }
            return .notDone(reason: "the card machine did not have the charge")
        case .closing: return .undecidable(detail: "it has no end of day")
        case .reversal: return Self.finding(await void(request.chargeKey, over: stream))
        case .refund:
            // The same request again gives nothing more back.
            return Self.finding(
                Self.refundAnswer(
                    await send(Self.refund(request), over: stream, Self.shortDeadline), to: request))
        }
    }

    func look(currency: String) async -> DeviceLook {
        await DeviceStream.connect(to: place, within: Self.shortDeadline) == nil
            ? DeviceLook(trouble: .unreachable) : DeviceLook()
    }

    /// It has none: nothing is there to close.
    func closeDay(currency: String) async -> Result<ClosedDeviceDay, DeviceTrouble> {
        .failure(.refused)
    }

    private static func charge(_ request: DeviceRequest) -> JSONValue {
        [
            "op": "charge", "key": .string(request.key), "amount": .integer(request.amount),
            "currency": .string(request.currency),
        ]
    }

    private static func refund(_ request: DeviceRequest) -> JSONValue {
        [
            "op": "refund", "key": .string(request.chargeKey), "refund": .string(refundId(request)),
            "amount": .integer(request.amount), "currency": .string(request.currency),
        ]
    }

    /// What comes before the charge's key in the request's own.
    private static func refundId(_ request: DeviceRequest) -> String {
        String(request.key.prefix { $0 != "." })
    }

    private func void(_ key: String, over stream: DeviceStream) async -> DeviceResponse {
        let response = await send(["op": "void", "key": .string(key)], over: stream, Self.shortDeadline)
        guard response?["key"]?.string == key, response?["state"] == "voided" else {
            return .lost(detail: "the card machine did not confirm the void")
        }
        return .done(DeviceProof(reference: ""))
    }

    private static func finding(_ response: DeviceResponse) -> DeviceFinding {
        switch response {
        case .done(let proof): .done(proof)
        case .accepted(let proof): .requested(proof)
        case .declined(let reason): .notDone(reason: reason)
        case .notSent, .lost: .open(detail: "the card machine did not respond")
        }
    }

    private static func refundAnswer(_ response: JSONValue?, to request: DeviceRequest) -> DeviceResponse {
        guard let response, response["key"]?.string == request.chargeKey,
            response["refund"]?.string == refundId(request)
        else { return .lost(detail: "the card machine did not respond") }
        switch response["state"]?.string {
        case "refunded": return .done(DeviceProof(reference: ""))
        case "refused":
            let reason = response["reason"]?.string ?? "no reason given"
            return .declined(reason: String(reason.printable.prefix(Self.longestReason)))
        case _: return .lost(detail: "the card machine's response cannot be read")
        }
    }

    /// Characters of a reason that are kept: some lines of a receipt. Half of it cuts real sentences off.
    private static let longestReason = 100

    private static func response(_ response: JSONValue?, to request: DeviceRequest) -> DeviceResponse {
        guard let response, response["key"]?.string == request.key else {
            return .lost(detail: "the card machine did not respond")
        }
        switch response["state"]?.string {
        case "charged":
            var proof = DeviceProof(reference: response["reference"]?.string ?? "")
            proof.approvalCode = response["approvalCode"]?.string ?? ""
            proof.isSimulated = true
            return .done(proof)
        case "declined":
            let reason = response["reason"]?.string ?? "no reason given"
            return .declined(reason: String(reason.printable.prefix(Self.longestReason)))
        case "voided": return .declined(reason: "the charge was voided")
        case _: return .lost(detail: "the card machine does not know the charge")
        }
    }

    /// One request over its connection; nil without a complete response line.
    private func send(_ request: JSONValue, over stream: DeviceStream, _ deadline: Duration) async
        -> JSONValue?
    {
        let end = ContinuousClock.now + deadline
        guard await stream.send(request.canonicalBytes + [0x0A], until: end) else { return nil }
        var received: [UInt8] = []
        while received.count < Self.longestResponse {
            guard let part = await stream.receive(until: end), !part.isEmpty else { return nil }
            received += part
            if let end = received.firstIndex(of: 0x0A) { return try? JSONParser.parse(received[..<end]) }
        }
        return nil
    }

    /// Bytes of a response line; real ones have some hundred.
    private static let longestResponse = 4_096
}

extension DeviceFinding {
    fileprivate var isOpen: Bool { if case .open = self { true } else { false } }
}
