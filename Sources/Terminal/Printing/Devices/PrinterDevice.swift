internal import Base
internal import Glibc

/// The printer itself. Its calls block, so they have a thread of their own.
package struct PrinterDevice: Sendable {
    /// Where the bytes go.
    package let address: PrinterAddress
    private let limits: PrinterLimits

    /// Opens nothing yet: each paper is a connection of its own.
    package init(_ address: PrinterAddress) {
        self.init(address, limits: PrinterLimits())
    }

    init(_ address: PrinterAddress, limits: PrinterLimits) {
        self.address = address
        self.limits = limits
    }

    /// Sends one job. No wait in it is longer than its limit.
    ///
    /// - Parameters:
    ///   - opensDrawer: also where paper is missing.
    ///   - willBegin: called before the first byte; when it throws, nothing is sent.
    package func print(
        _ bytes: [UInt8], opensDrawer: Bool, willBegin: () throws(PrinterFault) -> Void
    ) -> PrintOutcome {
        do throws(PrinterFault) {
            let stream = try open()
            if try stream.paperState(limit: limits.responding) == .out {
                if opensDrawer {
                    try stream.write(EscPosEncoder.drawerPulseWithoutPaper, limit: limits.responding)
                }
                stream.finish(limit: limits.ending)
                return .notBegun(.paperOut)
            }
            try willBegin()
            return send(bytes, to: stream)
        } catch {
            return .notBegun(error)
        }
    }

    /// The paper now, without printing.
    package func check() throws(PrinterFault) -> PaperState {
        if case .file(let path) = address {
            // A look makes no file.
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
            guard access(folder, W_OK) == 0 else { throw .system(folder) }
            return .unknown
        }
        let stream = try open()
        let paper = try stream.paperState(limit: limits.responding)
        stream.finish(limit: limits.ending)
        return paper
    }

    private func send(_ bytes: [UInt8], to stream: borrowing PrinterStream) -> PrintOutcome {
        do throws(PrinterFault) {
            try stream.write(bytes, limit: limits.writing)
            try stream.waitUntilSent(limit: limits.confirming)
            // A printer may end the connection with the job. One that breaks it was switched off, or
            // restarts.
            let paper =
                stream.hasEnded ? PaperState.unknown : try stream.paperState(limit: limits.responding)
            stream.finish(limit: limits.ending)
            return .printed(paper)
        } catch {
            return .interrupted(Language.english.printerTexts.text(error))
        }
    }

    private func open() throws(PrinterFault) -> PrinterStream {
        switch address {
        case .file(let path): try Self.openFile(path)
        case .device(let path): try Self.openDevice(path)
        case .tcp(let host, let port): try connect(host, port)
        }
    }

    private static func openFile(_ path: String) throws(PrinterFault) -> PrinterStream {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw .system(path) }
        return PrinterStream(owning: descriptor, canRead: false)
    }

    private static func openDevice(_ path: String) throws(PrinterFault) -> PrinterStream {
        let flags = O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        var descriptor = Glibc.open(path, O_RDWR | flags)
        let canRead = descriptor >= 0
        // Some parallel ports can only be written.
        if !canRead { descriptor = Glibc.open(path, O_WRONLY | flags) }
        guard descriptor >= 0 else { throw .system(path) }
        let stream = PrinterStream(owning: descriptor, canRead: canRead)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else {
            throw .noResponse("\(path): not a character device")
        }
        if isatty(descriptor) == 1 {
            // Bytes as they are; the speed stays as the system's administrator has set it.
            var settings = termios()
            guard tcgetattr(descriptor, &settings) == 0 else { throw .system(path) }
            cfmakeraw(&settings)
            guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { throw .system(path) }
        }
        return stream
    }

    private func connect(_ host: String, _ port: UInt16) throws(PrinterFault) -> PrinterStream {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let found = list else {
            throw .noResponse("\(host): no such host")
        }
        defer { freeaddrinfo(list) }
        var fault = PrinterFault.noResponse("\(host): no address")
        // At most two, an IPv6 address and an IPv4 one: each may take its whole time.
        for address in sequence(first: found, next: { $0.pointee.ai_next }).prefix(2) {
            do throws(PrinterFault) {
                return try connect(address.pointee, "\(host):\(port)")
            } catch {
                fault = error
            }
        }
        throw fault
    }

    private func connect(_ address: addrinfo, _ name: String) throws(PrinterFault) -> PrinterStream {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.ai_family, type, 0)
        guard descriptor >= 0 else { throw .system("socket") }
        let stream = PrinterStream(owning: descriptor, canRead: true)
        if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return stream }
        guard errno == EINPROGRESS else { throw .system(name) }
        guard stream.wait(for: Int16(POLLOUT), limits.connecting) else {
            throw .noResponse("\(name): no response")
        }
        let code = stream.connectionError
        guard code == 0 else { throw .system(name, code: code) }
        return stream
    }
}

/// The longest waits for a printer.
struct PrinterLimits: Sendable {
    /// Halved, a printer that wakes from its sleep fails once; doubled, the next receipt waits longer behind
    /// a dead printer.
    var connecting = Duration.seconds(3)
    /// A printer responds within 50 ms, and many never do. Halved, a busy one is missed; doubled, each
    /// receipt of a silent printer comes half a second later.
    var responding = Duration.milliseconds(500)
    /// Without a byte accepted. Halved, a printer that cuts and feeds is given up; doubled, the next receipt
    /// waits longer behind a dead one.
    var writing = Duration.seconds(10)
    /// Halved, a bad radio link interrupts receipts; doubled, the next one waits longer.
    var confirming = Duration.seconds(5)
    /// For the printer's own end of the connection. Halved or doubled: the next receipt by as much.
    var ending = Duration.seconds(1)
}
