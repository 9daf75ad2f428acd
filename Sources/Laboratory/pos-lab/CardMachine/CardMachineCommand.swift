import HubProtocol

internal import ArgumentParser
internal import Foundation
internal import Glibc

/// Plays a card machine on the shop's network, in which no money moves: `pos` charges it while the hub is
/// away.
struct CardMachineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card-machine",
        abstract: "Plays a card machine for `cardMachine.address`; no money moves.",
        discussion:
            "It writes what it charged and gave back into a file, one JSON object a line, and reads it again."
    )

    @Option(help: "The port on 127.0.0.1; 0 picks a free one, which is printed.") var port: UInt16 = 0
    @Option(help: "Where it keeps what it did.") var journal: String
    @Option(help: "simulated; zvt: a payment terminal of PA00P015; nexo: one of nexo Retailer.")
    var kind = Kind.simulated
    @Option(help: "simulated: approve, decline, silent (charges, says nothing) or closed (does nothing).")
    var answers = "approve"
    @Option(help: "zvt, nexo: what it does wrong, as NAME or NAME:NUMBER; a wrong name lists them.")
    var fault: String?
    @Option(help: "zvt: the terminal's id, eight digits.") var terminal = "52000017"
    @Option(help: "zvt: the currency's number of ISO 4217.") var currency: Int64 = 978
    @Option(help: "zvt: seconds that its clock is ahead.") var clockOffset = 0
    @Option(help: "zvt: the first receipt number of a new journal, 1 to 9999.") var firstReceipt = 1
    @Option(help: "zvt: where the bytes of both sides go, as a file for protocol analysers (pcap).")
    var capture: String?
    @Flag(help: "zvt, nexo: it does not read what the journal has.") var forgets = false
    @Option(help: "nexo: the machine's id.") var poi = "S1F2-000611220400123"
    @Option(help: "nexo: the port of 127.0.0.1 to which it sends what its shopper has to do.")
    var display: UInt16?
    @Option(help: "nexo: its certificate, a PEM file; without it there is no TLS.") var certificate: String?
    @Option(help: "nexo: the certificate's key, a PEM file.") var key: String?
    @Option(help: "nexo: a file with the shared key, as in `cardMachine.keyFile`.") var keyFile: String?

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case simulated, zvt, nexo
    }

    func run() async throws {
        switch kind {
        case .simulated:
            var machine = try SimulatedMachine(journal: journal, answers: answers)
            try serve { connection in
                // A terminal sends one line over each connection; one after the other is what a machine
                // does, too.
                if let line = Self.line(from: connection), let response = machine.response(to: line) {
                    let bytes = response.canonicalBytes + [0x0A]
                    _ = bytes.withUnsafeBytes {
                        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                }
                close(connection)
            }
        case .zvt:
            var machine = try zvtTerminal()
            let capture = try capture.map { try ZVTCapture(path: $0) }
            try serve { connection in
                let line = ZVTLine(connection, capture)
                machine.serve(line)
                line.end()
            }
        case .nexo: try await nexoServer().run(try nexoTerminal())
        }
    }

    private func nexoServer() throws -> NexoServer {
        switch (certificate, key) {
        case (nil, nil): return NexoServer(port: port, certificate: nil)
        case (let certificate?, let key?): return NexoServer(port: port, certificate: (certificate, key))
        case _: throw ValidationError("--certificate and --key are given together")
        }
    }

    private func nexoTerminal() throws -> NexoTerminal {
        let seal = try keyFile.flatMap { try NexoSeal(file: $0) }
        let nature = NexoTerminal.Nature(
            poiId: poi, seal: seal,
            display: display.map { NexoDisplay(port: $0, poiId: poi, seal: seal) },
            fault: try fault.map { try Self.fault($0, of: NexoTerminal.Fault.self) })
        return NexoTerminal(nature, ledger: try NexoLedger(path: journal, forgets: forgets))
    }

    /// What `NAME` or `NAME:NUMBER` says.
    private static func fault<Fault: RawRepresentable<String> & CaseIterable>(
        _ text: String, of kind: Fault.Type
    ) throws -> (kind: Fault, number: Int) {
        let parts = text.split(separator: ":")
        guard let fault = parts.first.flatMap({ Fault(rawValue: String($0)) }) else {
            let names = Fault.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--fault is one of \(names)")
        }
        return (fault, parts.dropFirst().first.flatMap { Int($0) } ?? 1)
    }

    private func zvtTerminal() throws -> ZVTTerminal {
        let wrong = try fault.map { try Self.fault($0, of: ZVTTerminal.Fault.self) }
        guard terminal.count == 8, let id = Int64(terminal), (1...9999).contains(firstReceipt) else {
            throw ValidationError("--terminal has eight digits, --first-receipt is from 1 to 9999")
        }
        return ZVTTerminal(
            terminal: ZVTTerminal.digits(id, 4), currency: ZVTTerminal.digits(currency, 2),
            clockOffset: clockOffset, fault: wrong,
            ledger: try ZVTLedger(path: journal, firstReceipt: firstReceipt, forgets: forgets))
    }

    private func serve(_ body: (Int32) -> Void) throws {
        let listener = try Self.listen(port)
        FileHandle.standardOutput.write(Data("listening on 127.0.0.1:\(listener.port)\n".utf8))
        while true {
            let connection = accept(listener.descriptor, nil, nil)
            guard connection >= 0 else { continue }
            body(connection)
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
