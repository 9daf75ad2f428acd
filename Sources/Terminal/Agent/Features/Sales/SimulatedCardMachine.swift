import Base

internal import Dispatch
internal import Glibc
internal import HubProtocol
internal import Printing
internal import Retail
internal import Synchronization

/// The simulated card machine: one JSON object a line over TCP, a response line for each request.
///
/// `{"op":"charge","key","amount","currency"}`, `{"op":"state","key"}` and `{"op":"void","key"}` are
/// responded with `{"key","state":"charged|declined|voided|unknown","reference","approvalCode","reason"}`,
/// `{"op":"refund","key","refund","amount","currency"}` with `{"key","refund","state":"refunded|refused",
/// "reason"}`. No money moves.
struct SimulatedCardMachine: CardMachine {
    let host: String
    let port: UInt16
    /// A connection blocks, so it has a thread of its own.
    private let queue = DispatchQueue(label: "card-machine", attributes: .concurrent)

    init(_ address: CardMachineAddress) {
        (host, port) = (address.host, address.port)
    }

    func charge(_ intent: CardIntent, deadline: Duration) async -> MachineOutcome {
        Self.outcome(
            await send(
                [
                    "op": "charge", "key": .string(intent.key), "amount": .integer(intent.amount),
                    "currency": .string(intent.currency),
                ], within: deadline), of: intent.key)
    }

    func state(of key: String, deadline: Duration) async -> MachineOutcome {
        Self.outcome(await send(["op": "state", "key": .string(key)], within: deadline), of: key)
    }

    func void(key: String, deadline: Duration) async -> Bool {
        let response = await send(["op": "void", "key": .string(key)], within: deadline)
        return response?["key"]?.string == key && response?["state"] == "voided"
    }

    func refund(
        key: String, refundId: String, amount: Int64, currency: String, deadline: Duration
    ) async -> MachineRefund {
        let response = await send(
            [
                "op": "refund", "key": .string(key), "refund": .string(refundId), "amount": .integer(amount),
                "currency": .string(currency),
            ], within: deadline)
        guard let response, response["key"]?.string == key, response["refund"]?.string == refundId else {
            return .unknown(detail: "the card machine did not answer")
        }
        switch response["state"]?.string {
        case "refunded": return .refunded
        case "refused":
            let reason = response["reason"]?.string ?? "no reason given"
            return .refused(reason: String(reason.printable.prefix(Self.longestReason)))
        case _: return .unknown(detail: "the card machine's response cannot be read")
        }
    }

    /// Characters of a reason that are kept: some lines of a receipt. Half of it cuts real sentences off.
    private static let longestReason = 100

    private static func outcome(_ response: JSONValue?, of key: String) -> MachineOutcome {
        guard let response, response["key"]?.string == key else {
            return .unknown(detail: "the card machine did not answer")
        }
        switch response["state"]?.string {
        case "charged":
            return .charged(
                reference: response["reference"]?.string ?? "",
                approvalCode: response["approvalCode"]?.string ?? "", isSimulated: true)
        case "declined": return .declined(reason: response["reason"]?.string ?? "no reason given")
        case "voided": return .declined(reason: "the charge was voided")
        case _: return .unknown(detail: "the card machine does not know the charge")
        }
    }

    /// One connection for one request; nil without a complete response line.
    private func send(_ request: JSONValue, within deadline: Duration) async -> JSONValue? {
        let (host, port, end) = (host, port, ExchangeEnd(after: deadline))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(
                        returning: MachineConnection.exchange(
                            request.canonicalBytes + [0x0A], host: host, port: port, until: end))
                }
            }
        } onCancel: {
            end.cancel()
        }
    }
}

/// Where the terminal's own card machine is.
struct CardMachineAddress: Hashable, Sendable {
    let host: String
    let port: UInt16

    /// Nil for anything but `tcp:HOST:PORT`.
    init?(_ text: String) {
        guard case .tcp(let host, let port)? = try? PrinterAddress(text) else { return nil }
        (self.host, self.port) = (host, port)
    }
}

/// When an exchange ends without a response: at its deadline, however slowly the machine sends, or when its
/// caller is cancelled.
private final class ExchangeEnd: Sendable {
    private let deadline: ContinuousClock.Instant
    private let isCancelled = Atomic(false)

    /// How long a cancellation may go unnoticed, in milliseconds. A cashier who gives up sees no difference;
    /// halved, a waiting sale wakes its thread twice as often.
    private static let step: Int64 = 100

    init(after deadline: Duration) {
        self.deadline = .now + deadline
    }

    func cancel() { isCancelled.store(true, ordering: .releasing) }

    /// Waits until the descriptor can be used; false once the exchange has ended.
    func isReady(_ descriptor: Int32, for events: Int32) -> Bool {
        while !isCancelled.load(ordering: .acquiring) {
            let left = ContinuousClock.now.duration(to: deadline).wholeMilliseconds
            guard left > 0 else { return false }
            var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = poll(&waiting, 1, Int32(min(left, Self.step)))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
        return false
    }
}

/// One exchange of lines, on a thread of its own.
private enum MachineConnection {
    /// A response is some hundred bytes.
    private static let longest = 4_096

    static func exchange(
        _ line: [UInt8], host: String, port: UInt16, until end: ExchangeEnd
    ) -> JSONValue? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found else { return nil }
        defer { freeaddrinfo(found) }
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.pointee.ai_family, flags, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard isConnected(descriptor, to: address.pointee, until: end) else { return nil }
        var sent = 0
        while sent < line.count {
            guard end.isReady(descriptor, for: POLLOUT) else { return nil }
            let count = line[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return nil }
            sent += count
        }
        return response(on: descriptor, until: end)
    }

    private static func isConnected(
        _ descriptor: Int32, to address: addrinfo, until end: ExchangeEnd
    ) -> Bool {
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return true }
        guard errno == EINPROGRESS, end.isReady(descriptor, for: POLLOUT) else { return false }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0
    }

    private static func response(on descriptor: Int32, until end: ExchangeEnd) -> JSONValue? {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while received.count < longest {
            guard end.isReady(descriptor, for: POLLIN) else { return nil }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return nil }
            received += buffer[..<count]
            if let end = received.firstIndex(of: 0x0A) { return try? JSONParser.parse(received[..<end]) }
        }
        return nil
    }
}
