internal import Foundation
internal import Glibc

/// The terminal's end of one connection.
final class ZVTLine {
    private let descriptor: Int32
    private var received: [UInt8] = []
    private var fault: (kind: ZVTTerminal.Fault, number: Int)?
    private var sent = 0
    private(set) var isClosed = false

    private let capture: ZVTCapture?

    init(_ descriptor: Int32, _ capture: ZVTCapture?) {
        (self.descriptor, self.capture) = (descriptor, capture)
        capture?.beginConnection()
    }

    /// From here on the fault counts messages.
    func begin(_ fault: (kind: ZVTTerminal.Fault, number: Int)?) {
        self.fault = fault
        sent = 0
    }

    func end() {
        isClosed = true
        close(descriptor)
    }

    func send(_ bytes: [UInt8]) {
        guard !isClosed else { return }
        sent += 1
        switch fault?.kind {
        case .cut? where sent >= fault?.number ?? 0: shut()
        case .deaf? where sent >= fault?.number ?? 0:
            write(bytes)
            shut()
        case .mute? where sent >= fault?.number ?? 0: break
        case .split?: for byte in bytes { write([byte]) }
        case _: write(bytes)
        }
    }

    /// Sends a message that the till has to acknowledge.
    ///
    /// - Returns: whether it did, in whatever words.
    @discardableResult
    func post(_ bytes: [UInt8]) -> Bool { exchange(bytes) != nil }

    /// The till's response within 30 s, the time of the specification; nil: none.
    func exchange(_ bytes: [UInt8]) -> UInt16? {
        send(bytes)
        return read(within: 30)?.control
    }

    /// The till's next message; nil at the line's end or the limit, in seconds.
    func read(within limit: Double) -> (control: UInt16, data: [UInt8])? {
        let end = Date(timeIntervalSinceNow: limit)
        while !isClosed {
            if let message = next() { return message }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = end.timeIntervalSinceNow
            guard left > 0, poll(&waiting, 1, Int32(left * 1000)) > 0 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 1_024)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                isClosed = true
                return nil
            }
            received += buffer[..<count]
            capture?.note(Array(buffer[..<count]), isOfTill: true)
        }
        return nil
    }

    private func next() -> (control: UInt16, data: [UInt8])? {
        guard received.count >= 3 else { return nil }
        var (start, length) = (3, Int(received[2]))
        if length == 0xFF {
            guard received.count >= 5 else { return nil }
            (start, length) = (5, Int(received[3]) + Int(received[4]) << 8)
        }
        guard received.count >= start + length else { return nil }
        let control = UInt16(received[0]) << 8 | UInt16(received[1])
        let data = Array(received[start..<start + length])
        received.removeFirst(start + length)
        return (control, data)
    }

    private func shut() {
        isClosed = true
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func write(_ bytes: [UInt8]) {
        capture?.note(bytes, isOfTill: false)
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
