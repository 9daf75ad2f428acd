import Base

internal import Glibc
internal import MachineRuntime
internal import OfflineCore

/// A connection to a message bus over its Unix-domain socket, used by one thread.
///
/// It authenticates as the process's user (EXTERNAL), calls Hello and then methods one at a time. Signals are
/// only counted: a subscriber reads the present values again.
final class DBusConnection {
    private static let bus = "org.freedesktop.DBus"
    private static let busPath = "/org/freedesktop/DBus"
    /// How long the bus or a service may take for one reply.
    private static let timeout = Duration.seconds(2)

    let socket: Int32
    private let time = LinuxSystemTime()
    private var serial: UInt32 = 0
    private var received: [UInt8] = []
    private var signals = 0

    /// Connects to the socket at `path`.
    init(path: String) throws(DBusError) {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw .disconnected(errno) }
        try connect(to: path)
        try authenticate()
        _ = try callBus("Hello", [])
    }

    deinit {
        if socket >= 0 { close(socket) }
    }

    /// Subscribes to the signals that match `rule` (D-Bus Specification, "Match Rules").
    func subscribe(to rule: String) throws(DBusError) {
        _ = try callBus("AddMatch", [rule])
    }

    /// Calls a method.
    ///
    /// - Returns: its value; nil when the service is missing, refuses, or replies with something else.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [String]
    ) throws(DBusError) -> DBusMessage.Value? {
        serial += 1
        let queried = serial
        try send(
            DBusMessage.call(
                serial: queried, to: destination, path: path, interface: interface, member: member, arguments)
        )
        let limit = time.now() + Self.timeout
        while true {
            while let message = try DBusMessage.take(from: &received) {
                if message.replySerial == queried {
                    return message.kind == .methodReturn ? message.value : nil
                }
                if message.kind == .signal { signals += 1 }
            }
            try receive(until: limit)
        }
    }

    /// Reads the received messages without waiting.
    ///
    /// - Returns: whether there was a signal, also one between the replies since the last call.
    func hasNews() throws(DBusError) -> Bool {
        while try receiveNow() {}
        while let message = try DBusMessage.take(from: &received) {
            if message.kind == .signal { signals += 1 }
        }
        defer { signals = 0 }
        return signals > 0
    }

    private func callBus(_ member: String, _ arguments: [String]) throws(DBusError) -> DBusMessage.Value? {
        try call(Self.bus, Self.busPath, Self.bus, member, arguments)
    }

    private func connect(to path: String) throws(DBusError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { throw .disconnected(ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw .disconnected(errno) }
    }

    /// The line protocol before the first message (D-Bus Specification, "Authentication Protocol").
    private func authenticate() throws(DBusError) {
        let digits = Array("0123456789abcdef".utf8)
        let user = String(getuid()).utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        try send([0] + "AUTH EXTERNAL ".utf8 + user + "\r\n".utf8)
        let limit = time.now() + Self.timeout
        while !received.contains(0x0A) { try receive(until: limit) }
        guard received.starts(with: "OK ".utf8) else { throw .refused }
        received = []
        try send(Array("BEGIN\r\n".utf8))
    }

    private func send(_ bytes: [UInt8]) throws(DBusError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .disconnected(errno) }
            rest = rest.dropFirst(count)
        }
    }

    private func receive(until limit: Instant) throws(DBusError) {
        let left = (limit - time.now()).wholeMilliseconds
        guard left > 0 else { throw .silent }
        var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, Int32(clamping: left)) != 0 else { throw .silent }
        _ = try receiveNow()
    }

    /// Whether something came.
    private func receiveNow() throws(DBusError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return false }
        guard count > 0 else { throw .disconnected(count == 0 ? 0 : errno) }
        received += buffer[..<count]
        return true
    }
}

/// Where the machine's message bus listens.
enum SystemBus {
    /// The path of the first Unix-domain socket in `DBUS_SYSTEM_BUS_ADDRESS`, or the well-known one
    /// (D-Bus Specification 0.43, "Well-known Message Bus Instances").
    static func path(environment: [String: String]) -> String {
        let addresses = environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
        for address in addresses.split(separator: ";") where address.hasPrefix("unix:") {
            let parts = address.dropFirst(5).split(separator: ",")
            if let path = parts.first(where: { $0.hasPrefix("path=") }) { return String(path.dropFirst(5)) }
        }
        return "/var/run/dbus/system_bus_socket"
    }
}
