import Foundation
import Glibc
import TestKit

/// A TCP connection whose every byte is the test's, with bounded waits for what comes back.
final class RawConnection {
    private let socket: Int32
    private(set) var received: [UInt8] = []
    /// Whether the other end has closed, or reset, the connection.
    private(set) var hasEnded = false

    /// - Parameter url: `http://127.0.0.1:PORT`.
    init(_ url: String) throws {
        guard let port = url.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw LoopbackError.badAddress(url)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let code = withUnsafeBytes(of: &address) {
            connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard socket >= 0, code == 0 else { throw LoopbackError.notConnected(errno: errno) }
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    }

    deinit { close(socket) }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// The status of the first response; nil before there is one.
    var status: Int? {
        let words = text.split(separator: " ", maxSplits: 2)
        return words.count > 1 && words[0] == "HTTP/1.1" ? Int(words[1]) : nil
    }

    /// Whether a header of the responses so far is `line`, in either case.
    func hasHeader(_ line: String) -> Bool {
        text.lowercased().contains("\r\n" + line.lowercased() + "\r\n")
    }

    /// Sends what the other end takes at once.
    ///
    /// - Returns: how many bytes that were.
    @discardableResult
    func send(_ text: String) -> Int {
        let bytes = Array(text.utf8)
        return max(0, Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    /// Reads what comes until `isEnough`, for at most `seconds`; meanwhile sends `trickle` again and
    /// again.
    ///
    /// - Returns: whether it was enough in time.
    @discardableResult
    func wait(
        _ seconds: Double, trickling trickle: String = "", until isEnough: (RawConnection) -> Bool
    ) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isEnough(self) {
            guard ContinuousClock.now < end else { return false }
            if !trickle.isEmpty { send(trickle) }
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            if hasEnded { usleep(20_000) } else { _ = poll(&descriptor, 1, 50) }
            receive()
        }
        return true
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count > 0 { received += buffer[..<count] }
        if count == 0 || (count < 0 && errno != EAGAIN) { hasEnded = true }
    }
}
