import Crypto
import Foundation
import Glibc
import HubProtocol
import Neighbours
import Synchronization
import TerminalStore
import TestKit
import Testing

@testable import Agent

/// Lists of notes on a real disk.
@Suite("Files of notes")
struct NoteFilesTests {
    private let folder: TemporaryFolder
    private let key = Curve25519.Signing.PrivateKey()

    init() throws { folder = try TemporaryFolder() }

    /// - Parameters:
    ///   - text: what each note says.
    ///   - grants: what some say instead, by number.
    private func notes(
        _ count: Int64, epoch: Int64 = 1, kind: String = "later", text: String? = nil,
        grants: [Int64: GrantedRight] = [:]
    ) throws -> [NeighbourNote] {
        let body: JSONValue = text.map { ["text": .string($0)] } ?? [:]
        var previous = NeighbourNote.genesisHash
        return try (1...count).map { number in
            let grant = grants[number]
            let draft = NoteDraft(
                epoch: epoch, number: number, previousHash: previous, kind: grant?.kind.note.rawValue ?? kind,
                body: grant?.json ?? body, madeAt: number)
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

    @Test("A page of a long list reads a part of it, wherever the page begins and whatever was appended")
    func parts() async throws {
        let written = try notes(1_000, text: String(repeating: "x", count: 1_500))
        let files = NoteFiles(folder: folder.path("notes"))
        let list = NoteListKey("M", 1)
        for part in stride(from: 0, to: 900, by: 30) {
            try await files.append(Array(written[part..<part + 30]), fork: nil)
        }
        _ = await files.page(of: list, after: 0)
        func expectPages(in range: Range<Int>, to end: Int) async {
            for after in stride(from: range.lowerBound, to: range.upperBound, by: 37) {
                let before = await files.bytesRead
                let page = await files.page(of: list, after: Int64(after))
                let isFull = page.count > 20 || after + page.count == end
                #expect(page == Array(written[after..<min(after + page.count, end)]) && isFull, "\(after)")
                let read = await files.bytesRead - before
                #expect(read <= 4 * NeighbourLimits.documentBytes, "\(after)")
            }
        }
        await expectPages(in: 0..<900, to: 900)
        try await files.append(Array(written[900...]), fork: nil)
        // What was appended is looked at once.
        _ = await files.page(of: list, after: 0)
        await expectPages(in: 850..<1_000, to: 1_000)
        #expect(await files.page(of: list, after: 1_000) == [])
        await files.drop(list, below: 500)
        _ = await files.page(of: list, after: 0)
        #expect(await files.page(of: list, after: 3).first == written[499])
        await expectPages(in: 600..<1_000, to: 1_000)
        await files.forget(list)
        try await files.append(Array(written[..<3]), fork: nil)
        #expect(await files.page(of: list, after: 1) == Array(written[1..<3]))
    }

    @Test("A grant is found wherever its note is, and one that was given just now without most of the list")
    func grants() async throws {
        let given = (1...3).map { index in
            GrantedRight(
                RightClaim(claimId: "claim-\(index)", kind: .cart, right: "cart"), of: .cart, to: "T",
                turn: Int64(index), madeAt: 1)
        }
        let written = try notes(
            600, text: String(repeating: "x", count: 1_500),
            grants: [7: given[0], 300: given[1], 595: given[2]])
        let files = NoteFiles(folder: folder.path("notes"))
        try await files.append(written, fork: nil)
        for (index, number) in [7, 300, 595].enumerated() {
            #expect(await files.grant(given[index], by: "M") == written[number - 1])
        }
        let before = await files.bytesRead
        _ = await files.grant(given[2], by: "M")
        #expect(await files.bytesRead - before <= 2 * NeighbourLimits.documentBytes)
        let other = GrantedRight(
            RightClaim(claimId: "claim-1", kind: .cart, right: "other"), of: .cart, to: "T", turn: 1,
            madeAt: 1)
        #expect(await files.grant(other, by: "M") == nil)
        #expect(await files.grant(given[0], by: "N") == nil)
    }

    /// Folders whose names were made durable.
    private final class SyncedFolders: Sendable {
        private let state = Mutex<(names: [String], failures: Int)>(([], 0))

        var names: [String] { state.withLock { $0.names } }

        /// The next ones fail.
        func fail(_ times: Int) { state.withLock { $0.failures = times } }

        func sync(_ folder: String) throws(FileError) {
            let isFailing = state.withLock { state in
                state.names.append(folder.split(separator: "/").last.map(String.init) ?? "")
                state.failures -= 1
                return state.failures >= 0
            }
            if isFailing { throw FileError(path: folder, call: "fsync", code: EIO) }
        }
    }

    @Test("The name of a new list is durable with its first note, and its folder's with the first list")
    func durableNames() async throws {
        let (written, synced) = (try notes(3), SyncedFolders())
        let parent = folder.url.lastPathComponent
        let files = NoteFiles(folder: folder.path("notes"), syncFolder: synced.sync)
        synced.fail(1)
        await #expect(throws: FileError.self) { try await files.append([written[0]], fork: nil) }
        #expect(synced.names.count == 1)
        for note in written { try await files.append([note], fork: nil) }
        #expect(Array(synced.names.dropFirst()) == [parent, "notes"])
        try await files.append(try notes(1, epoch: 2), fork: nil)
        try await files.append([], fork: written[1])
        #expect(Array(synced.names.dropFirst(3)) == ["notes", "notes"])
        await files.forget(NoteListKey("M", 2))
        try await files.append(try notes(1, epoch: 2), fork: nil)
        #expect(Array(synced.names.dropFirst(5)) == ["notes"])
    }
}
