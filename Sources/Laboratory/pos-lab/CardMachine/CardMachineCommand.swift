import HubProtocol

internal import ArgumentParser
internal import Foundation
internal import Glibc

/// Plays a card machine on the shop's network, in which no money moves: `pos` charges it while the hub is
/// away.
struct CardMachineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card-machine",
        abstract: "Plays a card machine for `cardMachine.address`; no money moves.",
        discussion:
            "It writes what it charged and gave back into a file, one JSON object a line, and reads it again."
    )

    @Option(help: "The port on 127.0.0.1; 0 picks a free one, which is printed.") var port: UInt16 = 0
    @Option(help: "Where it keeps what it did.") var journal: String
    @Option(help: "approve, decline, or silent: it charges and does not respond.") var answers = "approve"

    func run() throws {
        var machine = try SimulatedMachine(journal: journal, answers: answers)
        let listener = try Self.listen(port)
        FileHandle.standardOutput.write(Data("listening on 127.0.0.1:\(listener.port)\n".utf8))
        while true {
            let connection = accept(listener.descriptor, nil, nil)
            guard connection >= 0 else { continue }
            // A terminal sends one line over each connection; one after the other is what a machine does,
            // too.
            if let line = Self.line(from: connection), let response = machine.response(to: line) {
                let bytes = response.canonicalBytes + [0x0A]
                _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            close(connection)
        }
    }

    private static func listen(_ port: UInt16) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var reuse: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && Glibc.listen(descriptor, 16) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard bound else { throw ValidationError("the port \(port) cannot be used: error \(errno)") }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func line(from connection: Int32) -> JSONValue? {
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(
            connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while received.count < 4_096 {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            received += buffer[..<count]
            if let end = received.firstIndex(of: 0x0A) { return try? JSONParser.parse(received[..<end]) }
        }
        return nil
    }
}
