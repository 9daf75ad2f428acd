import Base
import Crypto
import Foundation
import HubProtocol
import Logging
import Neighbours
import Synchronization
import TestKit
import Testing

@testable import Agent

/// What a till keeps of others, on a real disk.
@Suite("A keeper of pieces")
struct PieceKeeperTests {
    private let folder: TemporaryFolder
    private let key = Curve25519.Signing.PrivateKey()
    private var publicKey: String { key.publicKey.rawRepresentation.base64EncodedString() }

    init() throws { folder = try TemporaryFolder() }

    private func keeper(capacity: Int64 = 1 << 20) -> PieceKeeper {
        PieceKeeper(
            folder: folder.path("kept"), capacity: capacity, logger: Logger(label: "test"),
            now: { Int64(Date().timeIntervalSince1970 * 1_000) })
    }

    private func piece(_ first: Int64, of maker: String = "A", bytes: Int = 100) throws -> [UInt8] {
        let header = PieceHeader(
            terminalId: maker, epoch: 1, epochStart: 1, first: first, last: first + 9, keyId: "k", madeAt: 0)
        let sealed = [UInt8](repeating: 7, count: bytes)
        return try #require(
            SealedPiece(header, ciphertext: sealed) {
                (try? key.signature(for: Data($0)))?.base64EncodedString()
            }
        ).bytes
    }

    @Test("What was kept is there after a start, byte for byte, and readable by this user alone")
    func restart() async throws {
        let bytes = try piece(1)
        var keeper = keeper()
        #expect(await keeper.take(bytes, of: "A", key: publicKey, makers: 2) == .kept)
        #expect(await keeper.take(bytes, of: "A", key: publicKey, makers: 2) == .kept)
        #expect(await keeper.take(try piece(11), of: "A", key: publicKey, makers: 2) == .kept)
        keeper = self.keeper()
        let kept = await keeper.all
        #expect(kept.map(\.id.first) == [1, 11])
        #expect(await keeper.bytes(of: try #require(kept.first).id) == bytes)
        #expect(await keeper.kept(of: "A") == NeighbourKept(epoch: 1, entries: 20, through: 20))
        let path = folder.path("kept/A_1_1_10.piece")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        await keeper.cover("A", epoch: 1, through: 19)
        #expect(await keeper.all.map(\.id.first) == [11])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A disk that fails loses nothing that is kept, and what is too old goes without a new piece")
    func failingDisk() async throws {
        let clock = Mutex(Int64(1_795_000_000_000))
        let keeper = PieceKeeper(
            folder: folder.path("kept"), capacity: 2_500, logger: Logger(label: "test"),
            now: { clock.withLock { $0 } })
        for first: Int64 in [1, 11] {
            #expect(
                await keeper.take(try piece(first, bytes: 800), of: "A", key: publicKey, makers: 2) == .kept)
        }
        // A folder in the place of the file: the piece cannot be written, and A's newest had to give way.
        let place = folder.path("kept/B_1_1_10.piece")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let offered = try piece(1, of: "B", bytes: 800)
        #expect(await keeper.take(offered, of: "B", key: publicKey, makers: 2) == .refused)
        #expect(await keeper.all.map(\.id.first) == [1, 11])
        #expect(FileManager.default.fileExists(atPath: folder.path("kept/A_1_11_20.piece")))
        try FileManager.default.removeItem(atPath: place)
        #expect(await keeper.take(offered, of: "B", key: publicKey, makers: 2) == .kept)
        #expect(await keeper.all.map(\.id.terminalId) == ["A", "B"])
        clock.withLock { $0 += NeighbourLimits.pieceAlarm.wholeMilliseconds + 1 }
        #expect(await keeper.overdue == ["A", "B"])
        clock.withLock { $0 += NeighbourLimits.piecesKept.wholeMilliseconds }
        #expect(await keeper.all == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("kept")) == [])
    }

    @Test("A till brings its own pieces alone, signed by it, and a gap ends what its keeper names")
    func refused() async throws {
        let keeper = keeper()
        #expect(await keeper.take(try piece(1, of: "B"), of: "A", key: publicKey, makers: 2) == .refused)
        let other = Curve25519.Signing.PrivateKey().publicKey.rawRepresentation.base64EncodedString()
        #expect(await keeper.take(try piece(1), of: "A", key: other, makers: 2) == .refused)
        #expect(await keeper.take([1, 2, 3], of: "A", key: publicKey, makers: 2) == .refused)
        #expect(await keeper.kept(of: "A") == nil)
        for first: Int64 in [1, 31] {
            _ = await keeper.take(try piece(first), of: "A", key: publicKey, makers: 2)
        }
        #expect(await keeper.kept(of: "A")?.through == 10)
    }

    @Test("A till that fills a keeper gets no more, and its files are those that are counted")
    func full() async throws {
        let keeper = keeper(capacity: 10_000)
        var answers: [PieceKeeper.Answer] = []
        for index in 0..<20 {
            answers.append(
                await keeper.take(
                    try piece(Int64(index) * 10 + 1, bytes: 800), of: "A", key: publicKey, makers: 3))
        }
        #expect(answers.first == .kept && answers.last == .full)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("kept"))
        #expect(files.count == answers.count { $0 == .kept })
    }
}
