import AgentAPI
import Base
import HubProtocol
import Logging
import TestKit
import Testing

@testable import Agent
@testable import Retail

/// Carts of a till that sees others, at a complete agent. What the others say is the test's.
@Suite("Carts beside other tills", .timeLimit(.minutes(5)))
struct CartsBesideTillsTests {
    private static let screen = "01J0000000000000000000000A;first"
    private static let cart = "01J0000000000000000000000C"

    /// What notes of other tills say.
    private struct Notes: CartSharing {
        var names = false
        var double: String?
        /// Of a till that is silent.
        var copied: KeptCart?

        var terminalId: String { "t-3" }
        var areConfirmed: Bool { get async { true } }
        var parked: [CartElsewhere] { [] }
        func isNoted(_: String) -> Bool { names }
        func take(_: String) async -> CartObstacle? { copied == nil ? .unknown : .silent("t-4") }
        func content(of _: String, as _: ULID, at _: Int64) async -> KeptCart? { copied }
        func noteCopy(_: KeptCart) {}
        func doubles(of _: String, copiedFrom _: String?) -> String? { double }
    }

    private func withTill(_ body: (AgentUnderTest) async throws -> Void) async throws {
        let product = ProductRecord(
            sku: "S1", barcode: "A1", name: "Tea", department: "", priceMinor: 8_900, currency: "EUR",
            taxBasisPoints: 0, unit: .each, stockMilli: nil, openPrice: false, furtherBarcodes: [])
        let till = try await AgentUnderTest(feed: [
            Change(
                entity: "product", entityId: "S1", version: 1, isDeleted: false, deletedAt: nil,
                hlc: "1795234567000-000001", origin: nil, value: product.json)
        ])
        do {
            try await body(till)
        } catch {
            await till.stop()
            throw error
        }
        await till.stop()
    }

    private func call(
        _ till: AgentUnderTest, _ call: some AgentCall, as frontEnd: String? = nil
    ) async -> AgentResponse {
        var request = call.request
        request.frontEnd = frontEnd
        return await till.agent.handler.handle(request)
    }

    /// The screen has a cart, which was never put aside.
    private func keep(_ till: AgentUnderTest) async throws {
        let basket = SellCall(key: Self.cart, lines: [.init(barcode: "A1")])
        let kept = await call(till, KeepCartCall(basket, revision: 1), as: Self.screen)
        #expect(kept.error == nil)
    }

    private func carts(of till: AgentUnderTest, beside notes: Notes) -> Carts {
        let carts = till.agent.features.sales.carts
        return Carts(store: carts.store, checkout: carts.checkout, time: carts.time, tills: notes)
    }

    /// Why a cart is not sold at the screen; nil: it can be.
    private func saleRefusal(_ carts: Carts) async throws -> CartRefusal? {
        let (key, screen) = (try #require(ULID(Self.cart)), try #require(FrontEnd(Self.screen)))
        do throws(CartRefusal) {
            try await carts.checkSale(of: key, by: screen)
            return nil
        } catch {
            return error
        }
    }

    /// Why the screen does not get a cart; nil: it has it.
    private func resumeRefusal(_ carts: Carts, by person: PersonClaim? = nil) async throws -> CartRefusal? {
        let screen = try #require(FrontEnd(Self.screen))
        do throws(CartRefusal) {
            _ = try await carts.resume(Self.cart, by: screen, taking: person)
            return nil
        } catch {
            return error
        }
    }

    @Test("One that a command takes up without a screen is put aside: others know it, and its sale names it")
    func withoutScreen() async throws {
        try await withTill { (till: AgentUnderTest) async throws in
            try await keep(till)
            _ = await call(till, KeepCartCall(nil, revision: 0), as: Self.screen)
            #expect(await call(till, CartCall(id: Self.cart, .resume)).error == nil)
            let carts = carts(of: till, beside: Notes())
            #expect(try await carts.list().first?.journey == CartJourney())
        }
    }

    @Test("One that another till has as well is refused, ever put aside or not, until a person decides")
    func doubled() async throws {
        try await withTill { (till: AgentUnderTest) async throws in
            try await keep(till)
            let carts = carts(of: till, beside: Notes(names: true, double: "t-9"))
            let copied = CartRefusal.elsewhere(.doubled(at: "t-9"), Self.cart)
            #expect(try await saleRefusal(carts) == copied)
            #expect(try await resumeRefusal(carts) == copied)
            #expect(try await resumeRefusal(carts, by: PersonClaim()) == nil)
            #expect(try await saleRefusal(carts) == nil)
            #expect(try await carts.list().first?.journey?.isDoubleKnown == true)
        }
    }

    @Test("One that only an earlier copy of the disk put aside is named by its sale all the same")
    func noted() async throws {
        try await withTill { (till: AgentUnderTest) async throws in
            try await keep(till)
            #expect(try await saleRefusal(carts(of: till, beside: Notes())) == nil)
            let known = carts(of: till, beside: Notes(names: true))
            #expect(try await known.list().first?.journey == nil)
            #expect(try await saleRefusal(known) == nil)
            #expect(try await known.list().first?.journey == CartJourney())
        }
    }

    @Test("One that an earlier copy of the disk gave away is refused, whatever the notes here say now")
    func elsewhere() async throws {
        try await withTill { (till: AgentUnderTest) async throws in
            try await keep(till)
            let carts = carts(of: till, beside: Notes())
            _ = try await carts.changing(try #require(ULID(Self.cart))) { before in
                guard var next = before else { return .failure(.unknownCart("")) }
                next.journey = CartJourney()
                next.journey?.elsewhere = "t-4"
                return .success(next)
            }
            let refused = try await saleRefusal(carts)
            #expect(refused == .elsewhere(.doubled(at: "t-4"), Self.cart))
            #expect(try await resumeRefusal(carts, by: PersonClaim()) == nil)
            #expect(try await saleRefusal(carts) == nil)
        }
    }

    @Test("One that is taken without a screen is in use: no other till takes it away")
    func taken() async throws {
        try await withTill { (till: AgentUnderTest) async throws in
            let basket = SellCall(key: Self.cart, lines: [.init(barcode: "A1")])
            let parked = await call(till, ParkCartCall(name: nil, basket: basket))
            let record = try CartRecord(json: parked.body)
            #expect(record.resumedAt == nil)
            let taken = await call(till, CartCall(id: record.cartId, .fetch))
            #expect(try CartRecord(json: taken.body).resumedAt != nil)
        }
    }

    @Test("One that a third till copied too is copied here all the same, and up to what others look at")
    func copied() async throws {
        try await withTill { (till: AgentUnderTest) async throws in
            func copy(_ number: UInt64) async throws -> Result<CartRecord, TerminalError> {
                let id = ULID(high: 1, low: number)
                let cart = KeptCart(
                    id: ULID(high: 2, low: number), name: nil, since: 1, lines: [], currency: "EUR",
                    total: 5, memberId: nil, coupons: [])
                let carts = carts(of: till, beside: Notes(double: "t-9", copied: cart))
                let logger = Logger(label: "test")
                let handler = CartsHandler(
                    carts: carts, frontEnds: FrontEnds(carts: carts, time: HandClock(), logger: logger),
                    isRunning: true, logger: logger)
                var request = CartCall(id: id.description, .copy(AgentPerson())).request
                request.frontEnd = Self.screen
                let route = try #require(handler.routes.first { $0.name.hasSuffix("/copy") })
                let response: AgentResponse
                do throws(TerminalError) {
                    response = try await route.work(request, [id.description])
                } catch {
                    return .failure(error)
                }
                return .success(try CartRecord(json: response.body))
            }
            for number in 0..<UInt64(NeighbourLimits.copiesUnsold) {
                #expect(try await copy(number).get().copiedFrom != nil)
            }
            let refused = try await copy(99)
            #expect(throws: TerminalError.self) { try refused.get() }
            guard case .failure(let error) = refused else { return }
            #expect(error.code == "too_many_claims")
            #expect(try await copy(0).get().copiedFrom != nil, "it is the same copy")
        }
    }
}
