import Foundation
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import TerminalStore

@Suite("Attachments on the till's disk")
struct SQLiteAttachmentsTests {
    private struct Bench {
        let store: StoreFixture
        let attachments: SQLiteAttachments
        let outbox: SQLiteOutbox
        let notes: SQLiteNotes

        init() async throws {
            store = try await StoreFixture()
            attachments = SQLiteAttachments(
                store.database, folder: AttachmentFolder(home: store.home.path), now: { 1_000 })
            outbox = SQLiteOutbox(store.database)
            notes = SQLiteNotes(store.database)
        }

        func file(_ bytes: [UInt8], _ name: String = "slip.png") throws -> String {
            let path = store.home.path + "/" + name
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return path
        }

        func staged(_ bytes: [UInt8] = [1, 2, 3], isUrgent: Bool = false) async throws
            -> OfflineMode.Attachment
        {
            let id = try await attachments.mintId()
            let copy = try await attachments.folder.take(file(bytes), as: id)
            return OfflineMode.Attachment(
                id: id, sha256: copy.sha256, size: copy.size, contentType: copy.contentType, name: copy.name,
                isUrgent: isUrgent)
        }

        func pending() async throws -> [OutboxItem] { try await outbox.pending(after: 0, limit: 10) }
    }

    @Test("a file is in the data folder under its id, with its digest, its size and its kind")
    func taken() async throws {
        let bench = try await Bench()
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47] + Array(repeating: 7, count: 200_000)
        let attachment = try await bench.staged(png)
        #expect(attachment.sha256 == Digest.sha256Hex(png))
        #expect(attachment.size == 200_004)
        #expect(attachment.contentType == "image/png")
        #expect(attachment.name == "slip.png")
        let tail = try await bench.attachments.read(attachment, from: 200_000, count: 4)
        #expect(tail == [7, 7, 7, 7])
        await #expect(throws: AttachmentFault.self) {
            try await bench.attachments.read(attachment, from: 200_000, count: 5)
        }
        await bench.attachments.folder.remove(attachment.id)
        await #expect(throws: AttachmentFault.self) {
            try await bench.attachments.read(attachment, from: 0, count: 1)
        }
    }

    @Test("what is no file, is empty, or has a byte too many is refused and leaves nothing behind")
    func refused() async throws {
        let bench = try await Bench()
        let limit = Int(AttachmentInfo.maximumSize)
        let folder = bench.attachments.folder
        await #expect(
            throws: AttachmentFolder.Failure.unreadable(path: "/dev/null", reason: "it is no plain file")
        ) {
            try await folder.take("/dev/null", as: "x")
        }
        let empty = try bench.file([], "empty")
        await #expect(throws: AttachmentFolder.Failure.empty(path: empty)) {
            try await folder.take(empty, as: "x")
        }
        let large = try bench.file([UInt8](repeating: 1, count: limit + 1), "large")
        await #expect(throws: AttachmentFolder.Failure.tooLarge(path: large, size: Int64(limit + 1))) {
            try await folder.take(large, as: "x")
        }
        await #expect(throws: AttachmentFolder.Failure.self) { try await folder.take("/no/such", as: "x") }
        let whole = try bench.file([UInt8](repeating: 1, count: limit), "whole")
        #expect(try await folder.take(whole, as: "y").size == Int64(limit))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["y"])
    }

    @Test("a mutation names its attachments, and waits for them alone")
    func held() async throws {
        let bench = try await Bench()
        let first = try await bench.staged()
        let second = try await bench.staged(isUrgent: true)
        _ = try await bench.notes.add(text: "with", author: nil, attachments: [first, second], at: 1)
        _ = try await bench.notes.add(text: "without", author: nil, at: 2)
        var rows = try await bench.pending()
        #expect(rows.map(\.isHeld) == [true, false])
        let mutation = try Mutation(json: JSONParser.parse(rows[0].body))
        #expect(mutation.attachments == [first.id, second.id])
        #expect(mutation.computedHash == mutation.hash)
        #expect(try await bench.attachments.unfinished() == [first, second])
        #expect(try await bench.attachments.waits() == [rows[0].id: [first.id, second.id]])
        try await bench.attachments.finish(first.id)
        #expect(try await bench.pending().map(\.isHeld) == [true, false])
        try await bench.attachments.finish(second.id)
        rows = try await bench.pending()
        #expect(rows.map(\.isHeld) == [false, false])
        #expect(try await bench.attachments.waits().isEmpty)
    }

    @Test("what the hub misses is sent again, and the row waits for it again")
    func sentAnew() async throws {
        let bench = try await Bench()
        let attachment = try await bench.staged()
        _ = try await bench.notes.add(text: "with", author: nil, attachments: [attachment], at: 1)
        try await bench.attachments.finish(attachment.id)
        let row = try #require(try await bench.pending().first)
        let deferred = PushResult(
            id: row.id, outcome: .deferred, waitsFor: [attachment.id, "another"], document: "{}")
        #expect(try await bench.outbox.record([deferred], acknowledgedThrough: nil) == 1)
        #expect(try await bench.pending().map(\.isHeld) == [true])
        #expect(try await bench.outbox.record([deferred], acknowledgedThrough: nil) == 0)
    }

    @Test("an edit of a refused mutation carries the same attachments")
    func resent() async throws {
        let bench = try await Bench()
        let attachment = try await bench.staged()
        _ = try await bench.notes.add(text: "with", author: nil, attachments: [attachment], at: 1)
        try await bench.attachments.finish(attachment.id)
        let row = try #require(try await bench.pending().first)
        try await bench.outbox.record(
            [PushResult(id: row.id, outcome: .rejected, document: "{}")], acknowledgedThrough: 1)
        _ = try await Refusals(SQLiteRefusals(bench.store.database)).resend(row.id)
        let again = try Mutation(json: JSONParser.parse(try #require(try await bench.pending().first).body))
        #expect(again.attachments == [attachment.id])
        #expect(again.supersedes == row.id)
    }

    @Test("copies that nothing names go at once, acknowledged ones after their time, pending ones never")
    func tidied() async throws {
        let bench = try await Bench()
        let orphan = try await bench.staged()
        let kept = try await bench.staged()
        _ = try await bench.notes.add(text: "with", author: nil, attachments: [kept], at: 1)
        try await bench.attachments.tidy(retention: 0)
        let folder = bench.attachments.folder.path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [kept.id])
        #expect(orphan.id != kept.id)
        try await bench.attachments.finish(kept.id)
        try await bench.attachments.tidy(retention: -1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).count == 1,
            "its mutation has no result")
        let row = try #require(try await bench.pending().first)
        try await bench.outbox.record(
            [PushResult(id: row.id, outcome: .applied, document: "{}")], acknowledgedThrough: 1)
        try await bench.attachments.tidy(retention: 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1, "it is young")
        try await bench.attachments.tidy(retention: -1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
}
