import Base
import Foundation
import LinuxRuntime
import MachineRuntime
import Synchronization
import TestKit
import Testing

@testable import Printing

@Suite("The printer of a terminal", .timeLimit(.minutes(2)))
struct PrinterServiceTests {
    let temporary: TemporaryFolder
    let folder: SpoolFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = SpoolFolder(temporary.path("spool"))
    }

    func service(_ port: UInt16) -> PrinterService {
        let limits = PrinterLimits(
            connecting: .seconds(2), responding: .seconds(20), ending: .seconds(1))
        return PrinterService(
            PrinterDevice(.tcp(host: "127.0.0.1", port: port), limits: limits), paper: .wide, folder: folder,
            time: LinuxSystemTime(), warn: { _ in })
    }

    func job(_ id: String) -> PrintJob {
        PrintJob(
            id: id, kind: .receipt, title: "N-\(id)", orderId: "O-\(id)",
            createdAt: LinuxSystemTime().wallMilliseconds(), language: .english,
            document: ReceiptDocument([.text("receipt \(id)", .plain), .cut]))
    }

    /// Whether the paper is noted as printed.
    func printed(_ id: String) -> Bool {
        folder.finished(now: LinuxSystemTime().wallMilliseconds()).contains(id)
    }

    func running(_ service: PrinterService, _ body: () async throws -> Void) async rethrows {
        let run = Task { await service.run() }
        defer { run.cancel() }
        try await body()
        run.cancel()
        await run.value
    }

    @Test("A paper is printed once, and then the spool is empty")
    func prints() async throws {
        let printer = try FakePrinter(.init(paperByte: 0x12))
        let service = service(printer.port)
        await running(service) {
            service.submit(opensDrawer: true) { job("1") }
            service.submit(opensDrawer: true) { job("1") }
            service.submit(opensDrawer: false) { job("2") }
            await eventually { printer.jobs.count == 2 && folder.load().jobs.isEmpty }
        }
        #expect(
            printer.jobs == [
                job("1").bytes(for: .wide, openingDrawer: true), job("2").bytes(for: .wide),
            ])
        #expect(service.status.printer == .ready(.enough))
    }

    @Test("A paper that was printed is not taken again by a later look for missing papers: each comes once")
    func printedOnce() async throws {
        let printer = try FakePrinter(.init(paperByte: 0x12))
        let service = service(printer.port)
        let ids = (1...20).map { String($0) }
        await running(service) {
            for id in ids {
                service.submit(opensDrawer: false) { job(id) }
                await eventually { printed(id) && service.status.jobs.isEmpty }
                service.submit(opensDrawer: false) { job(id) }
                #expect(service.status.jobs.isEmpty)
            }
            service.submit(opensDrawer: false) { job("last") }
            await eventually { printed("last") && service.status.jobs.isEmpty }
        }
        #expect(printer.jobs == (ids + ["last"]).map { job($0).bytes(for: .wide) })
    }

    @Test(
        "Without paper everything waits on the disk, also for the next agent, and is printed with the new roll"
    )
    func waits() async throws {
        let printer = try FakePrinter(.init(paperByte: 0x72))
        let first = service(printer.port)
        await running(first) {
            first.submit(opensDrawer: false) { job("1") }
            first.submit(opensDrawer: false) { job("2") }
            await eventually { first.status.printer == .faulty(.paperOut) && folder.load().jobs.count == 2 }
        }
        printer.behave(.init(paperByte: 0x12))
        let second = service(printer.port)
        await running(second) {
            await eventually { printer.jobs.count == 2 && folder.load().jobs.isEmpty }
        }
        #expect(printer.jobs == [job("1").bytes(for: .wide), job("2").bytes(for: .wide)])
    }

    @Test(
        "A paper of a killed agent, begun and not ended, is shown, and printed as a copy when a person wants it"
    )
    func interrupted() async throws {
        var begun = job("1")
        begun.state = .printing
        try folder.save(begun)
        let printer = try FakePrinter(.init(paperByte: 0x12))
        let service = service(printer.port)
        await running(service) {
            await eventually { folder.load().jobs.first?.state == .interrupted }
            #expect(service.status.jobs.map(\.state) == [.interrupted])
            #expect(service.retry("another").isEmpty)
            #expect(printer.connections == 0)
            #expect(service.retry("O-1").map(\.id) == ["1"])
            await eventually { printer.jobs.count == 1 && folder.load().jobs.isEmpty }
        }
        begun.isCopy = true
        #expect(printer.jobs == [begun.bytes(for: .wide)])
    }

    @Test("A job is marked as begun on the disk before the printer has its first byte")
    func begunFirst() async throws {
        let states = Mutex<[PrintJob.State]>([])
        let printer = try FakePrinter(
            .init(paperByte: 0x12, resetsAfter: 1) { [folder] in
                states.withLock { $0 += folder.load().jobs.map(\.state) }
            })
        let service = service(printer.port)
        await running(service) {
            service.submit(opensDrawer: false) { job("1") }
            await eventually { service.status.jobs.first?.state == .interrupted }
            await eventually { folder.load().jobs.first?.state == .interrupted }
        }
        #expect(printer.jobs.count == 1)
        #expect(states.withLock { $0 } == [.printing])
    }

    @Test("A spool without room still prints, once")
    func withoutRoom() async throws {
        try Data().write(to: URL(fileURLWithPath: temporary.path("spool")))
        let printer = try FakePrinter(.init(paperByte: 0x12))
        let service = service(printer.port)
        await running(service) {
            service.submit(opensDrawer: false) { job("1") }
            await eventually { service.status.printer == .ready(.enough) }
        }
        #expect(printer.jobs == [job("1").bytes(for: .wide)])
    }
}

extension PrinterServiceTests {
    @Test("A command that ends right after its sale leaves the receipt on paper, and opens the drawer")
    func endsAtOnce() async throws {
        let printer = try FakePrinter(.init(paperByte: 0x12))
        let service = service(printer.port)
        let run = Task { await service.run() }
        service.submit(opensDrawer: true) { job("1") }
        run.cancel()
        await run.value
        #expect(folder.load().jobs.isEmpty)
        await eventually { printer.jobs == [job("1").bytes(for: .wide, openingDrawer: true)] }
    }

    @Test("A paper that was printed before the start is not printed again when it is submitted again")
    func submittedAgain() async throws {
        let printer = try FakePrinter(.init(paperByte: 0x12))
        for _ in 0..<2 {
            let service = service(printer.port)
            let since = service.missedSince()
            #expect(since > 0)
            await running(service) {
                service.submit(opensDrawer: false) { job("1") }
                service.submit(opensDrawer: false) { job("2") }
                await service.flush()
                await eventually { service.status.jobs.isEmpty }
            }
        }
        #expect(printer.jobs.count == 2)
    }

    @Test("A reader shows what lies in the spool and changes nothing")
    func reader() throws {
        try folder.save(job("1"))
        var begun = job("2")
        begun.state = .printing
        try folder.save(begun)
        try Data("{".utf8).write(to: URL(fileURLWithPath: temporary.path("spool/3.job")))
        let before = try FileManager.default.contentsOfDirectory(atPath: temporary.path("spool")).sorted()
        let service = PrinterService(
            .tcp(host: "127.0.0.1", port: 1), paper: .wide, folder: folder, time: LinuxSystemTime(),
            isReader: true, warn: { _ in })
        #expect(service.status.jobs.map(\.state) == [.waiting, .interrupted])
        #expect(service.status.damaged == 1)
        let after = try FileManager.default.contentsOfDirectory(atPath: temporary.path("spool")).sorted()
        #expect(before == after)
    }
}
