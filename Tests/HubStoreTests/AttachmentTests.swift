import HubCore
import HubProtocol
import HubStore
import Testing

@Suite("Attachments at the hub")
struct AttachmentTests {
    private func info(_ id: String = "A1", size: Int64 = 6, digest: Character = "a") -> AttachmentInfo {
        AttachmentInfo(
            id: id, sha256: String(repeating: digest, count: 64), size: size, contentType: "image/jpeg",
            isUrgent: false)
    }

    @Test(
        "Announced again it is found again; other content under its id is not", arguments: StoreKind.all)
    func opening(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        guard case .open(let first) = try await ledger.openAttachment(info(), of: "T1", at: 5) else {
            Issue.record("it was not opened")
            return
        }
        #expect(first.received == 0)
        #expect(!first.isComplete)
        #expect(try await ledger.openAttachment(info(), of: "T1", at: 9) == .open(first))
        #expect(try await ledger.openAttachment(info(digest: "b"), of: "T1", at: 9) == .differs)
        #expect(try await ledger.openAttachment(info(size: 7), of: "T1", at: 9) == .differs)
        #expect(try await ledger.attachments(terminal: nil) == [first])
    }

    @Test("Pieces are kept in order alone, each once, byte for byte", arguments: StoreKind.all)
    func pieces(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.openAttachment(info(), of: "T1", at: 5)
        let bytes: [UInt8] = [0, 255, 92, 120]
        #expect(try await ledger.appendChunk(bytes, at: 1, to: "A1", of: "T1")?.received == 0)
        #expect(try await ledger.appendChunk(bytes, at: 0, to: "A1", of: "T1")?.received == 4)
        #expect(try await ledger.appendChunk(bytes, at: 0, to: "A1", of: "T1")?.received == 4)
        #expect(
            try await ledger.appendChunk([1, 2, 3], at: 4, to: "A1", of: "T1")?.received == 4, "too many")
        #expect(try await ledger.appendChunk([1, 2], at: 4, to: "A1", of: "T1")?.received == 6)
        #expect(try await ledger.attachmentPiece("A1", of: "T1", at: 0) == bytes)
        #expect(try await ledger.attachmentPiece("A1", of: "T1", at: 4) == [1, 2])
        #expect(try await ledger.attachmentPiece("A1", of: "T1", at: 6) == nil)
        #expect(try await ledger.appendChunk(bytes, at: 0, to: "A2", of: "T1") == nil)
    }

    @Test("Wrong bytes are thrown away and begin again; right ones stay for good", arguments: StoreKind.all)
    func settling(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        _ = try await ledger.openAttachment(info(), of: "T1", at: 5)
        let early = try await ledger.settleAttachment("A1", of: "T1", isRight: true, at: 6)
        #expect(early?.isComplete == false, "it has not all its bytes")
        let bytes = [UInt8](0..<6)
        _ = try await ledger.appendChunk(bytes, at: 0, to: "A1", of: "T1")
        let wrong = try await ledger.settleAttachment("A1", of: "T1", isRight: false, at: 6)
        #expect(wrong?.received == 0)
        #expect(try await ledger.attachmentPiece("A1", of: "T1", at: 0) == nil)
        _ = try await ledger.appendChunk(bytes, at: 0, to: "A1", of: "T1")
        let right = try await ledger.settleAttachment("A1", of: "T1", isRight: true, at: 7)
        #expect(right?.completedAt == 7)
        #expect(try await ledger.settleAttachment("A1", of: "T1", isRight: false, at: 8) == right)
        #expect(try await ledger.appendChunk(bytes, at: 0, to: "A1", of: "T1") == right)
    }

    @Test(
        "What is whole is kept as long as the journal, also when no mutation names it; unfinished ones go",
        arguments: StoreKind.all)
    func keptForGood(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        let year: Int64 = 365 * 86_400_000
        for id in ["whole", "half"] { _ = try await ledger.openAttachment(info(id), of: "T1", at: 5) }
        _ = try await ledger.appendChunk([UInt8](0..<6), at: 0, to: "whole", of: "T1")
        let whole = try await ledger.settleAttachment("whole", of: "T1", isRight: true, at: 6)
        _ = try await ledger.remove(.responses, at: year)
        _ = try await ledger.openAttachment(info("new"), of: "T1", at: year)
        #expect(try await ledger.attachments(terminal: "T1").map(\.info.id) == ["whole", "new"])
        #expect(try await ledger.attachment("whole", of: "T1") == whole)
        #expect(try await ledger.attachmentPiece("whole", of: "T1", at: 0) == [UInt8](0..<6))
    }

    @Test(
        "A mutation is deferred until its own terminal's attachments are complete", arguments: StoreKind.all)
    func deferred(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let note = till.minted("shift.opened", attachments: ["A1", "A2"])
        let push = try till.push([note, till.minted()])
        for (id, terminal) in [("A1", "T1"), ("A2", "T2")] {
            try await fill(id, of: terminal, in: store.ledger)
        }
        let response = try #require(try await store.take(push))
        #expect(response.results.map(\.outcome) == [.deferred, .applied])
        #expect(response.results.first?.json["waitsFor"] == ["A2"])
        #expect(response.results.first?.problem?["code"] == "dependency_missing")
        #expect(response.missing == [1])
        try await fill("A2", of: "T1", in: store.ledger)
        #expect(try await store.outcomes(push) == ["applied", "duplicate"])
    }

    @Test("A list that cannot be one is rejected, not waited for", arguments: StoreKind.all)
    func impossibleLists(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        var till = Till()
        let many = till.minted("shift.opened", attachments: (0..<21).map { "A\($0)" })
        let odd = till.minted("shift.opened", attachments: ["no such name"])
        #expect(
            try await store.outcomes(till.push([many, odd])) == [
                "rejected invalid_mutation", "rejected invalid_mutation",
            ])
    }

    @Test(
        "A terminal leaves at most a hundred unfinished, and those of a month ago are forgotten",
        arguments: StoreKind.all)
    func unfinished(_ kind: StoreKind) async throws {
        let store = try TemporaryStore(kind)
        let ledger = store.ledger
        for number in 1...100 {
            guard case .open = try await ledger.openAttachment(info("A\(number)"), of: "T1", at: 0) else {
                Issue.record("number \(number) was not opened")
                return
            }
        }
        _ = try await ledger.appendChunk([1], at: 0, to: "A1", of: "T1")
        #expect(try await ledger.openAttachment(info("B"), of: "T1", at: 1) == .tooMany)
        guard case .open = try await ledger.openAttachment(info("B"), of: "T2", at: 1) else {
            Issue.record("another terminal was refused")
            return
        }
        let month: Int64 = 30 * 86_400_000
        guard case .open = try await ledger.openAttachment(info("B"), of: "T1", at: month + 1) else {
            Issue.record("old ones were not forgotten")
            return
        }
        #expect(try await ledger.attachments(terminal: "T1").map(\.info.id) == ["B"])
        #expect(try await ledger.attachmentPiece("A1", of: "T1", at: 0) == nil)
    }

    private func fill(_ id: String, of terminal: String, in ledger: any Ledger) async throws {
        _ = try await ledger.openAttachment(info(id, size: 1), of: terminal, at: 1)
        _ = try await ledger.appendChunk([7], at: 0, to: id, of: terminal)
        _ = try await ledger.settleAttachment(id, of: terminal, isRight: true, at: 2)
    }
}
