import Base
import Crypto
import Foundation
import HubProtocol
import Testing

@testable import Neighbours

@Suite("Safekeeping")
struct SafekeepingTests {
    /// - Parameter disk: another one has other entries under the same numbers from 11 on.
    private func piece(
        _ maker: String, _ first: Int64, size: Int64, arrival: Int64 = 0, epoch: Int64 = 1, disk: String = ""
    ) -> KeptPiece {
        KeptPiece(
            id: .init(
                terminalId: maker, epoch: epoch, first: first, last: first + 9,
                link: EntryLink(hash: Self.hash(first + 9, disk), previousHash: Self.hash(first - 1, disk))),
            size: size, arrival: arrival, keptAt: 0, keptStep: 0)
    }

    private static func hash(_ sequence: Int64, _ disk: String = "") -> String {
        sequence > 10 ? "\(disk)\(sequence)" : "\(sequence)"
    }

    @Test("The two that come next in the circle of numbers keep a till's entries")
    func circle() {
        #expect(Keepers.of(2, reachable: [1, 2, 3, 4]) == [3, 4])
        #expect(Keepers.of(4, reachable: [3, 1, 2]) == [1, 2])
        #expect(Keepers.of(3, reachable: [1]) == [1])
        #expect(Keepers.of(3, reachable: [3]) == [])
    }

    @Test(
        "Whatever is offered: the bytes hold, and a maker within its part is never refused",
        arguments: UInt64(1)...40)
    func anyOffers(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let (capacity, largest) = (Int64(10_000), Int64(500))
        var kept = KeptPieces([], capacity: capacity)
        for arrival in 1...400 {
            // One maker offers as often as all others.
            let maker = random.below(2) == 0 ? "flood" : "T\(random.below(3))"
            let size = 1 + Int64(random.below(UInt64(largest)))
            let offered = piece(maker, Int64(arrival) * 10, size: size, arrival: Int64(arrival))
            let before = kept
            switch kept.offer(offered.id, size: size, makers: 4) {
            case .known: Issue.record("no piece is offered twice here")
            case .full: #expect(before.bytes(of: maker) + size > capacity / 4, "\(maker) is within its part")
            case .keep(let deleted):
                kept.remove(deleted)
                kept.add(offered)
                for other in Set(deleted.map(\.terminalId)) {
                    #expect(before.bytes(of: other) > capacity / 4)
                    #expect(kept.bytes(of: other) > capacity / 4 - largest)
                }
            }
            #expect(kept.all.reduce(0) { $0 + $1.size } <= capacity)
        }
        #expect(kept.bytes(of: "flood") > 0)
    }

    @Test("What is above a part gives way newest first, and the same entries are not kept twice")
    func newestFirst() {
        #expect([0, 1, 4_096, 4_097].map(KeptPiece.onDisk) == [4_096, 4_096, 4_096, 8_192])
        let first = piece("A", 1, size: 40, arrival: 1)
        let second = piece("A", 11, size: 40, arrival: 2)
        let kept = KeptPieces([first, second], capacity: 100)
        #expect(kept.offer(first.id, size: 40, makers: 2) == .known)
        let offered = piece("B", 1, size: 30)
        #expect(kept.offer(offered.id, size: 30, makers: 2) == .keep(deleting: [second.id]))
        #expect(kept.offer(piece("A", 21, size: 30).id, size: 30, makers: 2) == .full)
    }

    @Test("Tills that the store has no more have a part of their own while their pieces are here")
    func withdrawnMakers() {
        let old = [piece("gone", 1, size: 30, arrival: 1), piece("gone", 11, size: 40, arrival: 2)]
        let kept = KeptPieces(old, capacity: 100)
        #expect(kept.offer(piece("A", 1, size: 40).id, size: 40, makers: 1) == .keep(deleting: [old[1].id]))
    }

    @Test("A piece goes when its maker's journal has its last entry, and the hub all up to it")
    func coverage() {
        var kept = KeptPieces([piece("A", 1, size: 1), piece("A", 11, size: 1)], capacity: 9)
        func covered(_ through: Int64, _ hash: String = "20", of maker: String = "A") -> [Int64] {
            kept.take([RunCoverage(hash: hash, through: through)], of: maker).map(\.first)
        }
        #expect(covered(19) == [1] && covered(20) == [1, 11])
        #expect(covered(99, "10") == [1], "of the later one nothing was said")
        #expect(covered(99, "other") == [] && covered(99, of: "B") == [])
        #expect(kept.take([], of: "A") == [])
    }

    @Test("Of a till that ran from an older disk both lists are kept, and one never stands for the other")
    func twoDisks() {
        let (common, old, new) = (
            piece("A", 1, size: 1), piece("A", 11, size: 1), piece("A", 11, size: 1, disk: "b")
        )
        var kept = KeptPieces([common, old], capacity: 9)
        #expect(kept.offer(new.id, size: 1, makers: 1) == .keep(deleting: []))
        kept.add(new)
        let runs = kept.kept(of: "A")?.runs ?? []
        #expect(runs.map(\.first) == [1, 11] && runs.map(\.end.sequence) == [20, 20])
        #expect(runs.map(\.end.hash) == ["20", "b20"] && kept.kept(of: "A")?.entries == 30)
        let coverages = [RunCoverage(hash: "20", through: nil), RunCoverage(hash: "b20", through: 30)]
        #expect(kept.take(coverages, of: "A") == [new.id])
        #expect(kept.isForeign(old.id) && kept.isForeign(common.id) && !kept.isForeign(new.id))
        // It was only not read.
        _ = kept.take([RunCoverage(hash: "20", through: 5)], of: "A")
        #expect(!kept.isForeign(old.id))
        // Another epoch is another list, whatever its hashes.
        kept.add(piece("A", 21, size: 1, epoch: 2))
        #expect(kept.kept(of: "A")?.runs.map(\.end.epoch) == [1, 1, 2])
    }

    @Test("An alarm is due after a week by the clock, and a piece goes after 180 days of running alone")
    func age() {
        let day: Int64 = 86_400_000
        let kept = KeptPieces([piece("A", 1, size: 1), piece("A", 11, size: 1)], capacity: 9)
        #expect(kept.overdue(at: 7 * day) == [])
        #expect(kept.overdue(at: 7 * day + 1) == ["A"])
        #expect(kept.expired(at: 180 * 24) == [])
        #expect(kept.expired(at: 180 * 24 + 1).count == 2)
    }

    @Test("A piece is read as it was written, and a changed byte anywhere is noticed")
    func sealedPieces() throws {
        let key = Curve25519.Signing.PrivateKey()
        let digest = String(repeating: "a", count: 64)
        let header = PieceHeader(
            terminalId: "T", epoch: 1, epochStart: 1, first: 5, last: 9,
            link: .init(hash: digest, previousHash: digest), keyId: "k", madeAt: 1_000)
        let sign: ([UInt8]) -> String? = { (try? key.signature(for: Data($0)))?.base64EncodedString() }
        // The ciphertext may have line feeds.
        let written = try #require(SealedPiece(header, ciphertext: [1, 0x0A, 3], sign: sign))
        let publicKey = key.publicKey.rawRepresentation.base64EncodedString()
        let read = try SealedPiece(written.bytes)
        #expect(read == written)
        #expect(read.isSigned(by: publicKey))
        for index in written.bytes.indices {
            var bytes = written.bytes
            bytes[index] ^= 1
            let changed = try? SealedPiece(bytes)
            #expect(!(changed?.isSigned(by: publicKey) ?? false), "byte \(index)")
        }
        // Both ends of the chain, or none.
        for members in [["hash"], ["previousHash"], ["hash", "previousHash"]] {
            var json = header.json.object ?? [:]
            for member in members { json[member] = nil }
            let read = try? PieceHeader(json: .object(json))
            #expect(members.count == 2 ? read?.link == nil && read != nil : read == nil, "\(members)")
        }
        // One that names a number of entries that no push has would be added up by its keeper.
        let most = Int64(MutationBatch.maximumCount)
        for last: Int64 in [header.first - 1, header.first + most, (1 << 53) - 1] {
            var other = header
            other.last = last
            let vast = try #require(SealedPiece(other, ciphertext: [1], sign: sign))
            #expect(throws: ShapeError.self) { try SealedPiece(vast.bytes) }
        }
        for count in written.bytes.indices {
            let cut = try? SealedPiece(Array(written.bytes.prefix(count)))
            #expect(!(cut?.isSigned(by: publicKey) ?? false))
        }
        #expect(
            SealedPiece(
                header, ciphertext: [UInt8](repeating: 0, count: NeighbourLimits.pieceBytes), sign: sign)
                == nil)
    }
}
