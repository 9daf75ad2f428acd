import Base
import Foundation
import HubProtocol
import Neighbours
import TestKit
import Testing

/// What a hostile till does to other tills over the shop's network: its own store has the stated limits of
/// time and disk, a till of another store has nothing.
///
/// Each seed draws what is sent; the tills are those of a shop, with real sockets and disks.
@Suite("One bad till beside others", .onStage)
struct HostileNeighbourTests {
    /// `HOLDFAST_HOSTILE=100` tries as many seeds.
    private static let seeds: ClosedRange<UInt64> =
        1...(ProcessInfo.processInfo.environment["HOLDFAST_HOSTILE"].flatMap(UInt64.init) ?? 1)
    private static let rounds = 3
    /// `neighbours.keepMegabytes` of the till that is attacked.
    private static let megabytes = 8

    /// Two tills of a store, one of another, and one that is hostile to all.
    private final class Stage {
        let shop: ShopUnderTest
        let one: SeeingTill
        let two: SeeingTill
        let foreign: SeeingTill
        let ids: [String]
        let places: [String]

        init() throws {
            // A sale waits for the hub no longer than a tenth of a second, also for one that has just gone.
            shop = try ShopUnderTest(
                unstarted: .hurried.with(["POS_CHECKOUT_ONLINE_BUDGET_MILLISECONDS": "100"]))
            try shop.startHub()
            try shop.importCatalogue(Article.assortment)
            for store in ["S1", "S2"] {
                try shop.posHub("store-config", "set", "--store-id", store, "neighbours.enabled=on")
            }
            places = try SeeingTill.freePlaces(3)
            let disk = ["POS_NEIGHBOURS_KEEP_MEGABYTES": "\(HostileNeighbourTests.megabytes)"]
            one = try SeeingTill(shop, "one", greeting: places, listening: places[0], with: disk)
            two = try SeeingTill(shop, "two", greeting: places, listening: places[1])
            foreign = try SeeingTill(shop, "foreign", of: "S2", greeting: places, listening: places[2])
            ids = try [one, two, foreign].map {
                try #require(try $0.document("status")["terminalId"]?.string)
            }
        }

        var all: [SeeingTill] { [one, two, foreign] }

        /// Sells at each till, without the hub and without a wait.
        func sell() throws {
            for till in all {
                let sale = try till.document("sell", "--line", Article.assortment[0].barcode)
                let milliseconds = sale.elapsedMilliseconds
                #expect(milliseconds < 1_000)
            }
        }

        /// In whole blocks, as a disk has them: many small files cost more than what is in them.
        func bytes(_ folder: String) -> Int64 {
            let files = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
            return files.reduce(0) { sum, name in
                let size = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size]
                return sum + ((size as? Int64).map(KeptPiece.onDisk) ?? 0)
            }
        }
    }

    @Test("Its store has bounded costs of time and disk, another store has none", arguments: seeds)
    func anything(seed: UInt64) throws {
        let stage = try Stage()
        let shop = stage.shop
        var hostile = HostileNeighbour(try PlayedTill(shop), among: Array(stage.ids.prefix(2)), seed: seed)
        let liar = try NeighbourListener("127.0.0.1:0", hostile.liar())
        for _ in 0..<2 { for till in stage.all { _ = try till.document("sync", "now") } }
        try stage.one.sees("the second till", within: 30) {
            $0.neighbour(stage.ids[1])?["state"] == "reachable"
        }
        shop.killHub()
        try stage.sell()
        let pending = try #require(try stage.two.document("status").pending)
        try stage.one.sees("the second till's entries", within: 40) {
            $0.neighbour(stage.ids[1])?["weKeep"]?.integer == pending
        }
        let opened = try stage.one.openFiles()

        for _ in 0..<Self.rounds {
            for _ in 0..<HostileNeighbour.kindCount { for place in stage.places { hostile.attack(place) } }
            try stage.sell()
        }
        #expect(hostile.attacks.count == HostileNeighbour.kindCount)
        // Of two hundred; a busy computer may begin a further second meanwhile.
        #expect((1...3 * NeighbourLimits.requestsASecond).contains(hostile.mostResponses))
        // Over several connections no more than over one.
        #expect(hostile.mostTooMany <= 0)
        try fill(stage, &hostile)
        try stage.sell()

        // The store: who is there, what is kept of others, disk, descriptors.
        let picture = try stage.one.sees("the second till and no harm", within: 40) { picture in
            picture.isUnharmed && picture.neighbour(stage.ids[1])?["state"] == "reachable"
        }
        #expect(picture.neighbour(stage.ids[1])?["weKeep"]?.integer ?? 0 >= pending)
        #expect(stage.bytes(stage.one.home + "/kept") <= Int64(Self.megabytes) << 20)
        #expect(
            stage.bytes(stage.one.home + "/notes")
                <= Int64(NeighbourLimits.notesADay * NeighbourLimits.noteBytes))
        #expect(try stage.one.openFiles() <= opened + NeighbourLimits.connectionsOfTill + 2)
        // Another store: nobody is seen, nothing is kept.
        let elsewhere = try stage.foreign.document("neighbours")
        #expect(elsewhere["neighbours"] == [] && elsewhere.isUnharmed)
        #expect(!FileManager.default.fileExists(atPath: stage.foreign.home + "/kept"))
        #expect(!FileManager.default.fileExists(atPath: stage.foreign.home + "/notes"))
        // What honest tills sold is at the hub once.
        try shop.startHub()
        let sold = Int64(Self.rounds + 2)
        try shop.eventually("every sale") {
            let audits = try shop.terminalAudits()
            return stage.ids.allSatisfy { id in
                let audit = audits.first { $0["terminalId"]?.string == id }.map(HubAudit.init)
                return audit?.orders == sold && audit?.isComplete == true
            }
        }
        liar.stop()
    }

    /// Pieces of the largest size, twice as many as the keeper has room for.
    private func fill(_ stage: Stage, _ hostile: inout HostileNeighbour) throws {
        let till = hostile.till
        let key = try #require(till.signing.grant.hubKeys?.sealing.first)
        let wire = try NeighbourWire(to: stage.places[0], as: till.identity)
        var answers: [String: Int] = [:]
        for number in 0..<(Self.megabytes * 4) {
            let first = Int64(1_000_000 + number * 10)
            let digits = String(first)
            let hash = String(repeating: "0", count: 64 - digits.count) + digits
            let header = PieceHeader(
                terminalId: till.id, epoch: 1, epochStart: 1, first: first, last: first + 9,
                link: EntryLink(hash: hash, previousHash: hash), keyId: key.id, madeAt: 0)
            let sealed = [UInt8](repeating: 7, count: 500 << 10)
            let piece = try #require(SealedPiece(header, ciphertext: sealed, sign: till.sign)).bytes
            // A till is heard twenty times a second.
            Thread.sleep(forTimeInterval: 0.06)
            let receipt = try wire.exchange(SealedPiece.path, piece)
            answers[receipt.json?["answer"]?.string ?? "", default: 0] += 1
        }
        #expect(answers["full"] ?? 0 > 0 && answers["kept"] ?? 0 > 0, "\(answers)")
    }
}
