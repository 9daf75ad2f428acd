import Foundation
import Glibc
import TestKit
import Testing

@testable import Printing

@Suite("Printers", .timeLimit(.minutes(2)))
struct PrinterDeviceTests {
    private let page: [UInt8] = [0x1B, 0x40] + Array("Tea 3.00\n".utf8) + [0x1D, 0x56, 1]
    private static let hasPaper: UInt8 = 0b0001_0010
    private static let paperLow: UInt8 = 0b0001_1110
    private static let paperOut: UInt8 = 0b0111_0010
    /// Short enough for a test, and still some hundred times what loopback takes.
    private static let limits = PrinterLimits(
        connecting: .seconds(2), responding: .seconds(2), writing: .seconds(1), confirming: .seconds(1),
        ending: .seconds(1))

    /// On a thread that nothing else waits for.
    private func print(
        on address: String, opensDrawer: Bool = false,
        willBegin: @escaping @Sendable () throws(PrinterFault) -> Void = { () throws(PrinterFault) in }
    ) async throws -> PrintOutcome {
        let device = PrinterDevice(try PrinterAddress(address), limits: Self.limits)
        return await onThread { device.print(page, opensDrawer: opensDrawer, willBegin: willBegin) }
    }

    @Test(
        "A network printer gets the bytes, and its paper sensor is reported where it has one",
        arguments: [
            (hasPaper, PaperState.enough), (paperLow, .low), (nil, .unknown), (0x55, .unknown),
        ] as [(UInt8?, PaperState)])
    func network(byte: UInt8?, paper: PaperState) async throws {
        let printer = try FakePrinter(.init(paperByte: byte))
        #expect(try await print(on: "tcp:127.0.0.1:\(printer.port)") == .printed(paper))
        await eventually { printer.jobs == [page] }
    }

    @Test("A printer without paper gets no byte of the job, and opens the drawer all the same")
    func withoutPaper() async throws {
        let printer = try FakePrinter(.init(paperByte: Self.paperOut))
        let address = "tcp:localhost:\(printer.port)"
        #expect(try await print(on: address) == .notBegun(.paperOut))
        #expect(try await print(on: address, opensDrawer: true) == .notBegun(.paperOut))
        await eventually { printer.connections == 2 && printer.jobs.count == 1 }
        #expect(printer.jobs == [[0x10, 0x14, 0x01, 0x00, 0x01]])
    }

    @Test("A printer at whose address nothing listens is a fault before the job begins")
    func refused() async throws {
        let printer = try FakePrinter()
        printer.stop()
        let outcome = try await print(on: "tcp:127.0.0.1:\(printer.port)") { () throws(PrinterFault) in
            Issue.record("nothing is to begin")
        }
        #expect(outcome == .notBegun(.noResponse("127.0.0.1:\(printer.port): Connection refused")))
        let unknown = try await print(on: "tcp:no.such.host.invalid:9100")
        #expect(unknown == .notBegun(.noResponse("no.such.host.invalid: no such host")))
    }

    @Test("A job that cannot be marked as begun is not sent")
    func notMarked() async throws {
        let printer = try FakePrinter(.init(paperByte: Self.hasPaper))
        let fault = PrinterFault.noResponse("disk")
        let outcome = try await print(on: "tcp:127.0.0.1:\(printer.port)") { () throws(PrinterFault) in
            throw fault
        }
        #expect(outcome == .notBegun(fault))
        await eventually { printer.connections == 1 }
        #expect(printer.jobs.isEmpty)
    }

    @Test("A printer that resets the connection in the middle interrupts the job")
    func reset() async throws {
        let printer = try FakePrinter(.init(paperByte: Self.hasPaper, resetsAfter: 1))
        var limits = Self.limits
        // The reset ends the wait for the sensor; a busy machine may need a while for it.
        limits.responding = .seconds(60)
        let device = PrinterDevice(.tcp(host: "127.0.0.1", port: printer.port), limits: limits)
        let outcome = await onThread {
            device.print(page, opensDrawer: false) { () throws(PrinterFault) in }
        }
        guard case .interrupted = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("A printer that accepts and never reads interrupts a long job after the limit")
    func hanging() async throws {
        let listener = try SilentListener()
        let device = PrinterDevice(.tcp(host: "127.0.0.1", port: listener.port), limits: Self.limits)
        // More than the system's buffers of both ends take.
        let long = [UInt8](repeating: 0x41, count: 16 << 20)
        let outcome = await onThread {
            device.print(long, opensDrawer: false) { () throws(PrinterFault) in }
        }
        #expect(outcome == .interrupted("the printer takes no data"))
    }

    @Test("A file grows by each job; one in a folder that does not exist is a fault")
    func file() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("paper")
        #expect(try await print(on: "file:" + path) == .printed(.unknown))
        #expect(try await print(on: "file:" + path) == .printed(.unknown))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(page + page))
        let missing = folder.path("no/paper")
        let outcome = try await print(on: "file:" + missing)
        #expect(outcome == .notBegun(.noResponse("\(missing): No such file or directory")))
    }

    @Test("A device gets the bytes as they are, and reports its paper")
    func device() async throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(master) }
        // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2): unlocks the other side, and gives its number.
        var number: Int32 = 0
        #expect(ioctl(master, UInt(0x4004_5431), &number) == 0)
        #expect(ioctl(master, UInt(0x8004_5430), &number) == 0)
        let path = "/dev/pts/\(number)"
        let end = page.count + 6
        async let received = onThread {
            var bytes: [UInt8] = []
            while bytes.count < end {
                var chunk = [UInt8](repeating: 0, count: 256)
                let count = read(master, &chunk, chunk.count)
                // Nobody has opened the other side yet.
                if count < 0 && errno == EIO { continue }
                guard count > 0 else { break }
                bytes += chunk[..<count]
                if bytes.suffix(3) == [0x10, 0x04, 0x04] {
                    var status = Self.paperLow
                    write(master, &status, 1)
                }
            }
            return bytes
        }
        let outcome = try await print(on: path)
        #expect(outcome == .printed(.low))
        #expect(await received == [0x10, 0x04, 0x04] + page + [0x10, 0x04, 0x04])
        let none = try await print(on: "/dev/no-such-printer")
        #expect(none == .notBegun(.noResponse("/dev/no-such-printer: No such file or directory")))
    }

    @Test(
        "Addresses of printers",
        arguments: [
            "file:/tmp/paper", "tcp:10.0.0.9:9100", "tcp:printer.shop:1", "tcp:[fe80::1]:65535",
            "/dev/usb/lp0",
        ])
    func addresses(text: String) throws {
        #expect(try PrinterAddress(text).description == text)
    }

    @Test(
        "What names no printer is refused",
        arguments: [
            "", "lp0", "file:", "file:paper", "file:/tmp/", "tcp:", "tcp:host", "tcp::9100", "tcp:host:0",
            "tcp:host:65536", "tcp:fe80::1:9100", "tcp:a b:9100", "/dev/", "/dev/../etc/passwd", "usb:1",
        ])
    func refusedAddresses(text: String) {
        #expect(throws: PrinterAddressError.self) { try PrinterAddress(text) }
    }
}

/// Accepts connections in the system's queue and reads nothing.
private final class SilentListener {
    let port: UInt16
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = listener
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, size) == 0 && listen(socket, 1) == 0
                    && getsockname(socket, address, &size) == 0
            }
        }
        guard bound else { throw FakePrinterError(code: errno) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listener) }
}
