import Foundation
import HubProtocol
import TestKit
import Testing

/// Entries that come by their maker and by its keeper at once, whatever dies meanwhile.
@Suite("Two ways at once, and kills", .onStage)
struct RelayKillTests {
    @Test(
        "With a kill at each step of a copy and its relay, beside the maker's own drain, one entry is one effect",
        arguments: HubStoreKind.all)
    func kills(_ kind: HubStoreKind) throws {
        let stage = try RelayStage(kind)
        for kill in RelayStage.Kill.allCases { try stage.play(kill) }
        try stage.check()
    }
}

/// A keeper with a front between it and the hub, and a maker that a test plays: its entries come by both ways
/// at once, while something is killed.
final class RelayStage {
    /// What is killed, and when.
    enum Kill: CaseIterable {
        /// The maker, in the middle of a piece.
        case makerWhileCopying
        /// The keeper, which has the piece and has not said so.
        case keeperBeforeItsReceipt
        /// The keeper, whose request is under way.
        case keeperBeforeTheHub
        /// The keeper, which the hub has answered.
        case keeperBeforeTheResponse
        /// The hub, before it has the request.
        case hubBefore
        /// The hub, somewhere in its work.
        case hubWhile
        /// The hub, which has answered and whose response is lost.
        case hubAfter
    }

    private let shop: ShopUnderTest
    private let front: HubFront
    private let keeper: SeeingTill
    private let place: String
    private var maker: PlayedTill
    private(set) var sold: Int64 = 0
    private static let entries = 3

    init(_ kind: HubStoreKind) throws {
        shop = try ShopUnderTest(unstarted: .hurried)
        shop.store = try kind.place(in: shop.folder)
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        try shop.posHub("store-config", "set", "--store-id", "S1", "neighbours.enabled=on")
        front = try HubFront(target: shop.hubPort)
        place = try SeeingTill.freePlaces(1)[0]
        keeper = try SeeingTill(
            shop, "keeper", listening: place, hub: "http://127.0.0.1:\(front.port)")
        maker = try PlayedTill(shop)
        _ = try keeper.address()
        try keeper.sees("the maker's key") { $0.neighbour(maker.id) != nil }
    }

    deinit { front.stop() }

    /// Sells some more, kills, and lets everything arrive.
    func play(_ kill: Kill) throws {
        let entries = (0..<Self.entries).map { _ in maker.journal.sale() }
        sold += Int64(entries.count)
        let piece = try maker.piece(entries)
        let gate = FrontGate()
        front.reply { request in
            guard request.path == Routes.relayed else { return .pass }
            return gate.reply(to: kill)
        }
        let own = OwnDrain(of: maker, entries, to: shop.hubPort)
        let before = relayed
        switch kill {
        case .makerWhileCopying: try bring(Array(piece.prefix(piece.count / 2)), announcing: piece.count)
        case .keeperBeforeItsReceipt:
            try bring(piece, announcing: piece.count)
            keeper.kill()
        case .keeperBeforeTheHub, .keeperBeforeTheResponse:
            try bring(piece, announcing: piece.count)
            gate.awaitArrival()
            if kill == .keeperBeforeTheResponse { try awaitResponse(beyond: before) }
            keeper.kill()
            gate.open()
        case .hubBefore, .hubWhile:
            try bring(piece, announcing: piece.count)
            gate.awaitArrival()
            if kill == .hubBefore { shop.killHub() }
            gate.open()
            // Some milliseconds, in which the hub reads, writes and answers.
            if kill == .hubWhile {
                usleep(UInt32.random(in: 0..<8_000))
                shop.killHub()
            }
        case .hubAfter:
            try bring(piece, announcing: piece.count)
            gate.awaitArrival()
            try awaitResponse(beyond: before)
            shop.killHub()
        }
        front.reply { _ in .pass }
        try settle(piece, own, after: kill)
    }

    /// Starts what was killed, and brings the piece once more, as a maker does that had no receipt.
    private func settle(_ piece: [UInt8], _ own: OwnDrain, after kill: Kill) throws {
        if shop.hub == nil { try shop.startHub() }
        if !keeper.isRunning { try keeper.start() }
        own.wait()
        try shop.eventually("the piece is kept") {
            guard let wire = try? wire(), let receipt = try? wire.exchange(SealedPiece.path, piece) else {
                return false
            }
            return receipt.json?["answer"] == "kept"
        }
        try keeper.sees("that nothing is kept any more after \(kill)", within: 40) {
            $0.neighbour(maker.id)?["weKeep"]?.integer == 0
        }
    }

    /// A connection over which the maker has said hello.
    private func wire() throws -> NeighbourWire {
        let wire = try NeighbourWire(to: place, as: maker.identity)
        _ = try wire.exchange(NeighbourHello.path, maker.hello().json.canonicalBytes)
        return wire
    }

    /// Sends a piece, or its beginning, without waiting for the receipt.
    private func bring(_ bytes: [UInt8], announcing count: Int) throws {
        try wire().send(
            Array("POST \(SealedPiece.path) HTTP/1.1\r\nContent-Length: \(count)\r\n\r\n".utf8) + bytes)
    }

    private func awaitResponse(beyond before: Int) throws {
        try shop.eventually("the hub's response") { relayed > before }
    }

    /// Responses of the hub to pieces.
    private var relayed: Int { front.exchanges.count { $0.request.path == Routes.relayed } }

    /// Each entry is one effect.
    func check() throws {
        let terminals = try shop.terminalAudits()
        let audit = HubAudit(
            try #require(terminals.first { $0["terminalId"]?.string == maker.id }))
        #expect(audit.orders == sold && audit.received == sold && audit.isComplete, "\(audit.json)")
        #expect(audit.total == sold * 1_250)
        #expect(audit.acknowledgedThrough == sold)
    }
}

/// Where a relayed piece waits in the front until the test has done what it does to it.
private final class FrontGate: Sendable {
    private let arrived = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    /// Called on the front's thread.
    func reply(to kill: RelayStage.Kill) -> HubFront.Reply {
        arrived.signal()
        switch kill {
        case .makerWhileCopying, .keeperBeforeItsReceipt: return .pass
        case .keeperBeforeTheResponse, .hubAfter: return .passAndCut(afterBytes: 0)
        case .keeperBeforeTheHub:
            opened.wait()
            return .silence(seconds: 0)
        case .hubBefore, .hubWhile:
            opened.wait()
            return .pass
        }
    }

    func awaitArrival() { _ = arrived.wait(timeout: .now() + 30) }

    func open() { for _ in 0..<8 { opened.signal() } }
}

/// The maker's own way to the hub: it pushes its entries again and again until the hub has results.
private final class OwnDrain: Sendable {
    private let isDone = DispatchSemaphore(value: 0)

    init(of maker: PlayedTill, _ entries: [Mutation], to port: UInt16) {
        let body = MutationBatch(mutations: entries, epoch: 1, lowSequence: entries.first?.sequence).json
            .canonicalText
        let headers = maker.signing.headers
        Thread.detachNewThread { [isDone] in
            let end = Date().addingTimeInterval(60)
            while Date() < end {
                let response = try? LoopbackClient(.tcp(port: port), timeout: 5).request(
                    "POST", Routes.mutationBatch, headers: headers, body: body)
                if response?.status == 200 { break }
                usleep(20_000)
            }
            isDone.signal()
        }
    }

    /// Returns when the hub has answered.
    func wait() { isDone.wait() }
}
