import Base
import Foundation
import LinuxRuntime
import MachineRuntime
import TestKit
import Testing

@testable import Printing

@Suite("The files of the print spool", .timeLimit(.minutes(2)))
struct SpoolFolderTests {
    private func job(_ id: String) -> PrintJob {
        PrintJob(
            id: id, kind: .receipt, title: "B010-T1-20261122-0001", orderId: "01O",
            createdAt: 1_700_000_000_000,
            language: .chinese,
            document: ReceiptDocument([
                .text("社区便利店", .init(.center, isBold: true)), .row("Tea", "3.00"), .qrCode("HF1"), .feed(1),
                .cut,
            ]))
    }

    @Test("A job is read as it was written, in the order of its identifiers, until it is removed")
    func roundTrip() throws {
        let temporary = try TemporaryFolder()
        let folder = SpoolFolder(temporary.path("spool"))
        #expect(folder.load().jobs.isEmpty)
        var second = job("02")
        second.state = .interrupted
        try folder.save(second)
        try folder.save(job("01"))
        #expect(folder.load().jobs == [job("01"), second])
        try folder.remove("01")
        try folder.remove("01")
        #expect(folder.load().jobs == [second])
        #expect(folder.load().damaged == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary.path("spool"))
        #expect(names == ["02.job"])
    }

    @Test("A file that ends at any byte is no job: it is set aside, and the other jobs stay")
    func cutAtEveryByte() throws {
        let whole = job("01").fileContent
        #expect(PrintJob(fileContent: whole) == job("01"))
        for length in 0..<whole.count { #expect(PrintJob(fileContent: Array(whole[..<length])) == nil) }
        let temporary = try TemporaryFolder()
        let folder = SpoolFolder(temporary.path("spool"))
        try folder.save(job("02"))
        for (number, length) in [0, 1, whole.count / 2, whole.count - 1].enumerated() {
            let path = temporary.path("spool/01-\(number).job")
            try Data(whole[..<length]).write(to: URL(fileURLWithPath: path))
        }
        try Data(whole[..<9]).write(to: URL(fileURLWithPath: temporary.path("spool/03.tmp")))
        for _ in 0..<2 {
            let (jobs, damaged) = folder.load()
            #expect(jobs == [job("02")])
            #expect(damaged == 4, "they are counted again at the next start")
        }
    }

    @Test("What was printed is noted, the newest 500 and what is younger than any look for missing papers")
    func notes() throws {
        let temporary = try TemporaryFolder()
        let folder = SpoolFolder(temporary.path("spool"))
        #expect(try folder.openedAt(now: 5) == 5)
        #expect(try folder.openedAt(now: 9) == 5)
        folder.noteNoPrinter()
        #expect(try folder.openedAt(now: 9) == 9)
        try folder.save(job("0"))
        try folder.finish("0")
        try folder.finish("0")
        let now = LinuxSystemTime().wallMilliseconds()
        #expect(folder.finished(now: now) == ["0"])
        #expect(folder.load().jobs.isEmpty)
        for number in 1...500 {
            try Data().write(to: URL(fileURLWithPath: temporary.path("spool/\(1000 + number).done")))
        }
        #expect(folder.finished(now: now) == Set(["0"] + (1001...1500).map(String.init)))
        let later = now + PrintSpool.longestWait.wholeMilliseconds + 60_000
        #expect(folder.finished(now: later) == Set((1001...1500).map(String.init)))
        #expect(!FileManager.default.fileExists(atPath: temporary.path("spool/0.done")))
    }

    @Test("A spool that cannot be written says which call failed")
    func failures() throws {
        let temporary = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: temporary.path("file")))
        #expect(throws: SpoolError.self) { try SpoolFolder(temporary.path("file")).save(job("01")) }
        #expect(throws: SpoolError.self) { try SpoolFolder(temporary.path("no/folder")).save(job("01")) }
    }
}
