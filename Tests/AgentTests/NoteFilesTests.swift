import Crypto
import Foundation
import HubProtocol
import Neighbours
import TestKit
import Testing

@testable import Agent

/// Lists of notes on a real disk.
@Suite("Files of notes")
struct NoteFilesTests {
    private let folder: TemporaryFolder
    private let key = Curve25519.Signing.PrivateKey()

    init() throws { folder = try TemporaryFolder() }

    private func notes(_ count: Int64, epoch: Int64 = 1, kind: String = "later") throws -> [NeighbourNote] {
        var previous = NeighbourNote.genesisHash
        return try (1...count).map { number in
            let draft = NoteDraft(
                epoch: epoch, number: number, previousHash: previous, kind: kind, body: [:], madeAt: number)
            let note = try #require(
                NeighbourNote(draft, terminalId: "M") {
                    try? key.signature(for: Data($0)).base64EncodedString()
                })
            previous = note.hash
            return note
        }
    }

    @Test("What was appended is read after a start, and a line that a power cut tore is no note")
    func torn() async throws {
        let written = try notes(3)
        let files = NoteFiles(folder: folder.path("notes"))
        try await files.append(Array(written[..<2]), fork: nil)
        let path = folder.path("notes/M_1.notes")
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Array("{\"body\":{},\"epo".utf8))
        try handle.close()
        try await files.append([written[2]], fork: nil)
        let again = NoteFiles(folder: folder.path("notes"))
        #expect(await again.load().notes == written)
        #expect(await again.page(of: NoteListKey("M", 1), after: 1) == Array(written[1...]))
    }

    @Test("A list begins anew without what was dropped, keeps its second notes, and is forgotten as a whole")
    func dropped() async throws {
        let (written, other) = (try notes(4), try notes(2, kind: "other"))
        let files = NoteFiles(folder: folder.path("notes"))
        try await files.append(written, fork: other[1])
        let list = NoteListKey("M", 1)
        #expect(await files.page(of: list, after: 1) == [written[1], other[1], written[2], written[3]])
        await files.drop(list, below: 3)
        let (left, forks) = await files.load()
        #expect(left == Array(written[2...]) && forks == [other[1]])
        await files.forget(list)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("notes")) == [])
    }

    @Test("A page stays below the size of a document")
    func pages() async throws {
        let files = NoteFiles(folder: folder.path("notes"))
        try await files.append(try notes(300), fork: nil)
        let page = await files.page(of: NoteListKey("M", 1), after: 0)
        #expect(page.count == NeighbourLimits.notesOfPage)
        #expect(NotePage(notes: page.map(\.json)).json.canonicalBytes.count <= NeighbourLimits.documentBytes)
    }
}
