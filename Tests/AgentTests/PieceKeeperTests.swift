import Base
import Crypto
import Foundation
import HubProtocol
import Logging
import MachineRuntime
import Neighbours
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

    private func keeper(
        capacity: Int64 = 1 << 20, time: any SystemTime = HandClock(), reserve: Int64 = 0
    ) -> PieceKeeper {
        PieceKeeper(
            folder: PieceFolder(path: folder.path("kept"), reserve: reserve), capacity: capacity,
            logger: Logger(label: "test"), time: time)
    }

    private static func hash(_ sequence: Int64, _ disk: Int64 = 0) -> String {
        let digits = String(sequence + disk << 32, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// - Parameter disk: another one has other entries under the same numbers.
    private func piece(
        _ first: Int64, of maker: String = "A", bytes: Int = 100, disk: Int64 = 0
    ) throws -> [UInt8] {
        let link = EntryLink(hash: Self.hash(first + 9, disk), previousHash: Self.hash(first - 1, disk))
        let header = PieceHeader(
            terminalId: maker, epoch: 1, epochStart: 1, first: first, last: first + 9, link: link, keyId: "k",
            madeAt: 0)
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
        let end = JournalMark(epoch: 1, sequence: 20, hash: Self.hash(20))
        #expect(
            await keeper.kept(of: "A") == NeighbourKept(entries: 20, runs: [KeptRun(first: 1, end: end)]))
        let path = folder.path("kept/A_0_1_1_10_\(Self.hash(10)).piece")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let coverage = RunCoverage(hash: Self.hash(20), through: 19)
        #expect(await !keeper.take([coverage], of: "A"))
        #expect(await keeper.all.map(\.id.first) == [11])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A disk that fails loses nothing that is kept")
    func failingDisk() async throws {
        let keeper = keeper(capacity: 8_192)
        for first: Int64 in [1, 11] {
            #expect(
                await keeper.take(try piece(first, bytes: 800), of: "A", key: publicKey, makers: 2) == .kept)
        }
        // A folder in the place of the file: the piece cannot be written, and A's newest had to give way.
        let place = folder.path("kept/B_0_1_1_10_\(Self.hash(10)).piece")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let offered = try piece(1, of: "B", bytes: 800)
        #expect(await keeper.take(offered, of: "B", key: publicKey, makers: 2) == .refused)
        #expect(await keeper.all.map(\.id.first) == [1, 11])
        #expect(
            FileManager.default.fileExists(atPath: folder.path("kept/A_0_1_11_20_\(Self.hash(20)).piece")))
        try FileManager.default.removeItem(atPath: place)
        #expect(await keeper.take(offered, of: "B", key: publicKey, makers: 2) == .kept)
        #expect(await keeper.all.map(\.id.terminalId) == ["A", "B"])
        // A file that somebody deletes is no copy any more.
        try FileManager.default.removeItem(atPath: place)
        let gone = try #require(await keeper.all.last?.id)
        #expect(await keeper.bytes(of: gone) == nil)
        #expect(await keeper.kept(of: "B") == nil)
    }

    @Test("A clock that is years ahead is an alarm and deletes nothing; 180 days of running time do")
    func clockAhead() async throws {
        let clock = HandClock()
        var keeper = keeper(time: clock)
        #expect(await keeper.take(try piece(1), of: "A", key: publicKey, makers: 2) == .kept)
        #expect(await keeper.overdue == [])
        clock.setWall(forwardBy: 3 * 365 * 86_400_000)
        #expect(await keeper.all.count == 1)
        #expect(await keeper.overdue == ["A"])
        #expect(await keeper.take(try piece(11), of: "A", key: publicKey, makers: 2) == .kept)
        // A start in between goes on with the time of before.
        clock.advance(by: .seconds(100 * 86_400))
        #expect(await keeper.all.count == 2)
        keeper = self.keeper(time: clock)
        clock.advance(by: .seconds(80 * 86_400))
        #expect(await keeper.all.count == 2)
        // A lost count of hours keeps pieces longer.
        #expect(await keeper.take(try piece(21), of: "A", key: publicKey, makers: 2) == .kept)
        clock.advance(by: NeighbourLimits.keepingStep)
        #expect(await keeper.all.map(\.id.first) == [21])
        try FileManager.default.removeItem(atPath: folder.path("kept/hours"))
        keeper = self.keeper(time: clock)
        clock.advance(by: NeighbourLimits.piecesKept)
        #expect(await keeper.kept(of: "A")?.entries == 10)
        clock.advance(by: NeighbourLimits.keepingStep)
        #expect(await keeper.kept(of: "A") == nil)
    }

    @Test(
        "Other entries under the same numbers are kept beside the first ones, and neither deletes the other")
    func twoDisks() async throws {
        var keeper = keeper()
        for disk: Int64 in [0, 1] {
            #expect(
                await keeper.take(try piece(1, disk: disk), of: "A", key: publicKey, makers: 2) == .kept)
        }
        keeper = self.keeper()
        #expect(await keeper.kept(of: "A")?.entries == 20)
        let coverages = [
            RunCoverage(hash: Self.hash(10), through: nil), RunCoverage(hash: Self.hash(10, 1), through: 10),
        ]
        #expect(await keeper.take(coverages, of: "A"), "the older ones have to be handed in")
        let left = try #require(await keeper.all.first?.id)
        #expect(await keeper.all.count == 1 && left.link.hash == Self.hash(10))
        #expect(await keeper.isForeign(left))
    }

    @Test("A till brings its own pieces alone, signed by it, and a gap ends what its keeper names")
    func refused() async throws {
        let keeper = keeper()
        #expect(await keeper.take(try piece(1, of: "B"), of: "A", key: publicKey, makers: 2) == .refused)
        let other = Curve25519.Signing.PrivateKey().publicKey.rawRepresentation.base64EncodedString()
        #expect(await keeper.take(try piece(1), of: "A", key: other, makers: 2) == .refused)
        #expect(await keeper.take([1, 2, 3], of: "A", key: publicKey, makers: 2) == .refused)
        // It does not say which entries these numbers stand for.
        let unlinked = PieceHeader(
            terminalId: "A", epoch: 1, epochStart: 1, first: 1, last: 10, link: nil, keyId: "k", madeAt: 0)
        let vague = try #require(
            SealedPiece(unlinked, ciphertext: [1]) {
                (try? key.signature(for: Data($0)))?.base64EncodedString()
            })
        #expect(await keeper.take(vague.bytes, of: "A", key: publicKey, makers: 2) == .refused)
        #expect(await keeper.kept(of: "A") == nil)
        for first: Int64 in [1, 31] {
            _ = await keeper.take(try piece(first), of: "A", key: publicKey, makers: 2)
        }
        #expect(await keeper.kept(of: "A")?.runs.map(\.end.sequence) == [10, 40])
    }

    @Test("What the till itself needs of its disk is left to it")
    func reserve() async throws {
        let keeper = keeper(reserve: .max)
        #expect(await keeper.take(try piece(1), of: "A", key: publicKey, makers: 2) == .full)
        #expect(!FileManager.default.fileExists(atPath: folder.path("kept")))
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

    @Test("Small pieces fill a keeper by the blocks of their files, after a start as well")
    func smallPieces() async throws {
        let blocks = 8
        for start in 0..<2 {
            let keeper = keeper(capacity: Int64(blocks) * 4_096)
            var kept = 0
            for index in 0..<30 {
                let piece = try piece(Int64(start * 30 + index) * 10 + 1, bytes: 1)
                if await keeper.take(piece, of: "A", key: publicKey, makers: 1) == .kept { kept += 1 }
            }
            #expect(kept == (start == 0 ? blocks : 0))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("kept"))
        #expect(names.count { $0.hasSuffix(".piece") } == blocks)
    }
}
