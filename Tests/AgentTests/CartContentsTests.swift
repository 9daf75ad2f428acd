import Base
import Crypto
import Foundation
import HubProtocol
import Neighbours
import Retail
import Synchronization
import TerminalStore
import TestKit
import Testing

@testable import Agent

/// Notes of carts as tills write them.
struct CartMaker {
    let id: String
    let epoch: Int64
    private let key = Curve25519.Signing.PrivateKey()
    private(set) var state = NoteState()
    private var number: Int64 = 0

    init(_ id: String, epoch: Int64 = 1) { (self.id, self.epoch) = (id, epoch) }

    mutating func note(_ kind: NoteKind, _ body: JSONValue) throws {
        number += 1
        let draft = NoteDraft(
            epoch: epoch, number: number, previousHash: NeighbourNote.genesisHash, kind: kind.rawValue,
            body: body, madeAt: 1)
        let key = key
        state.add(
            try #require(
                NeighbourNote(draft, terminalId: id) { bytes in
                    (try? key.signature(for: Data(bytes)))?.base64EncodedString()
                }))
    }

    mutating func park(_ cart: ULID, turn: Int64 = 1) throws {
        let note = ParkedCart(id: cart.description, name: "", count: 1, total: 5, turn: turn)
        try self.note(.cartParked, note.json)
    }

    mutating func grant(_ cart: ULID, to taker: String, turn: Int64) throws {
        let claim = RightClaim(claimId: "k", kind: .cart, right: cart.description)
        try note(
            .cartGranted, GrantedRight(claim, of: .cart, to: taker, turn: turn, madeAt: 1).json)
    }
}

@Suite("What is in the carts of silent tills", .timeLimit(.minutes(1)))
struct CartContentsTests {
    /// What the notes say, and what a till sends.
    private struct Shop {
        var makers: [CartMaker] = []
        var name = "first"
    }

    private static func cart(_ number: UInt64) -> ULID { ULID(high: 1, low: number) }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Until `condition` holds of what is here of a cart.
    private func wait(
        for cart: ULID, in contents: CartContents, _ clock: HandClock, _ condition: (String?) -> Bool
    ) async throws {
        contents.nudge()
        for _ in 0..<2_000 {
            if condition(await contents.content(of: cart.description)?.content.name) { return }
            clock.advance(by: .seconds(1))
            // Files are written on threads of the runtime, and nobody announces that: the till's clock is
            // moved, and the real one only lets them go on.
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("what is here of the cart did not become what was awaited")
    }

    @Test("They stay while the cart is on its way, go with its end, and are read anew in a new epoch")
    func kept() async throws {
        let shop = Mutex(Shop())
        let contents = CartContents(folder: folder.path("carts"), terminalId: "T3")
        let clock = HandClock()
        let work = Task {
            await contents.run(clock) {
                let makers = shop.withLock { $0.makers }
                return (
                    StoreNotes(
                        states: Dictionary(
                            uniqueKeysWithValues: makers.map { (NoteListKey($0.id, $0.epoch), $0.state) })),
                    Dictionary(makers.map { ($0.id, $0.epoch) }, uniquingKeysWith: max)
                )
            } fetch: { _, _ in
                var moved = MovedCart()
                (moved.name, moved.currency) = (shop.withLock { $0.name }, "EUR")
                return CartContentResponse(moved)
            }
        }
        defer { work.cancel() }
        var (one, two) = (CartMaker("T1"), CartMaker("T2"))
        try one.park(Self.cart(1))
        shop.withLock { [one] in $0.makers = [one] }
        try await wait(for: Self.cart(1), in: contents, clock) { $0 == "first" }

        // Its taker goes down with it: nobody names it any more.
        try one.grant(Self.cart(1), to: "T2", turn: 2)
        try one.park(Self.cart(2))
        shop.withLock { [one] in $0.makers = [one] }
        try await wait(for: Self.cart(2), in: contents, clock) { $0 == "first" }
        #expect(await contents.content(of: Self.cart(1).description)?.turn == 1)
        try two.note(.cartEnded, EndedCart(id: Self.cart(1).description, end: .sold).json)
        shop.withLock { [one, two] in $0.makers = [one, two] }
        try await wait(for: Self.cart(1), in: contents, clock) { $0 == nil }

        var renewed = CartMaker("T1", epoch: 2)
        try renewed.park(Self.cart(2))
        shop.withLock { [one, two, renewed] in ($0.makers, $0.name) = ([one, two, renewed], "second") }
        try await wait(for: Self.cart(2), in: contents, clock) { $0 == "second" }
    }

    @Test("A cart that a silent till took is that till's to copy, and one that a silent till gave as well")
    func silent() throws {
        let claim = RightClaim(claimId: "k", kind: .cart, right: "C")
        func obstacle(of taker: String, reachable: Set<String>) -> CartObstacle {
            let grant = GrantedRight(claim, of: .cart, to: taker, turn: 2, madeAt: 1)
            return CartObstacle(.granted(grant, by: "T1"), at: "T3") { reachable.contains($0) }
        }
        #expect(obstacle(of: "T2", reachable: ["T2"]) == .granted(to: "T2"))
        #expect(obstacle(of: "T2", reachable: ["T1"]) == .silent("T2"))
        #expect(obstacle(of: "T3", reachable: ["T1"]) == .notReady)
        #expect(obstacle(of: "T3", reachable: ["T2"]) == .silent("T1"))
        #expect(CartObstacle(.sold, at: "T3") { _ in true } == .sold)
        #expect(CartObstacle(nil, at: "T3") { _ in true } == .unknown)
    }
}
