import Foundation
import HubProtocol
import TestKit
import Testing

/// Whatever responds in place of the hub: only an explicit result removes a row from the outbox.
@Suite("Bad responses to a push", .onStage, .serialized)
struct BadResponseTests {
    private static let login = "<!DOCTYPE html><html><body>Sign in to the guest network</body></html>"

    private static let wrongIds = """
        {"results":[{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","outcome":"applied","hlc":"0000000000001-000001",\
        "receivedAt":"2026-01-01T00:00:00.000Z","flags":[]}],"acknowledgedThrough":0,"missing":[]}
        """

    private static let single =
        #"{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","outcome":"applied","hlc":"0000000000001-000001"}"#

    /// Each is given to pushes alone; everything else still reaches the hub.
    private static let responses: [(name: String, reply: HubFront.Reply)] = [
        ("a login page", .response(status: 200, headers: ["Content-Type": "text/html"], body: login)),
        ("a redirect", .response(status: 302, headers: ["Location": "http://127.0.0.1:1/login"], body: "")),
        ("garbage", .bytes("\u{1}\u{2}ncnc garbage that is no HTTP at all\r\n\r\n")),
        ("garbage as JSON", .response(status: 200, headers: json, body: "{\"results\":[{]}")),
        ("half an answer", .bytes("HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{\"results\":[{\"id\"")),
        ("nothing", .bytes("")),
        ("an empty body", .response(status: 200, headers: json, body: "")),
        ("an empty object", .response(status: 200, headers: json, body: "{}")),
        ("no results", .response(status: 200, headers: json, body: #"{"results":[]}"#)),
        ("results of other ids", .response(status: 200, headers: json, body: wrongIds)),
        ("a result of another id", .response(status: 201, headers: json, body: single)),
        ("gone", .response(status: 410, headers: json, body: #"{"code":"gone","status":410}"#)),
        ("sign in", .response(status: 401, headers: json, body: #"{"code":"token_expired","status":401}"#)),
        (
            "too old",
            .response(status: 426, headers: json, body: #"{"code":"upgrade_required","status":426}"#)
        ),
    ]
    private static let json = ["Content-Type": "application/json"]

    @Test("No row leaves the outbox and no sale counts as acknowledged; later each arrives once")
    func nothingLeaves() throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        let sales = try shop.openSales()
        var expected: Int64 = 0
        for (name, reply) in Self.responses {
            let before = shop.arrivedPushes
            shop.front?.reply { $0.isPush ? reply : .pass }
            let sale = try sales.sell(SaleRequests.piece(Int(expected)))
            expected += 1
            #expect(sale["sync"]?.string == "pending", "\(name)")
            let now = try shop.pos("sync", "now", "--json")
            #expect(now.exitCode == 75, "\(name)")
            #expect(now.errors.count == 1, "\(name)")
            #expect(shop.arrivedPushes > before, "\(name)")
            let outbox = try shop.status()["outbox"]
            #expect(outbox?["pending"]?.integer == expected, "\(name)")
            #expect(outbox?["acknowledgedThrough"]?.integer == 0, "\(name)")
            #expect(outbox?["rejected"]?.integer == 0, "\(name)")
        }
        #expect(try shop.orders().allSatisfy { $0["sync"]?.string == "pending" })
        shop.front?.reply { _ in .pass }
        #expect(try shop.document("sync", "now")["pending"]?.integer == 0)
        #expect(sales.close() == 0)
        let audit = try shop.audit()
        #expect(audit.orders == expected)
        #expect(audit.isComplete)
    }

    @Test("Behind a login page every row is kept, and the till reports the fault of the network")
    func portal() throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.front?.reply { _ in
            .response(status: 200, headers: ["Content-Type": "text/html"], body: Self.login)
        }
        let sales = try shop.openSales()
        try sales.sellPieces(2)
        try shop.waitUntil("offline behind the login page", within: 20) { $0.causes.contains("network") }
        let status = try shop.status()
        #expect(status["connectivity"]?["captivePortalSuspected"]?.bool == true)
        #expect(status.pending == 2)
        shop.front?.reply { _ in .pass }
        try shop.waitUntil("online again", within: 30) { $0.mode == "online" }
        try shop.waitUntilDrained()
        #expect(sales.close() == 0)
        #expect(try shop.audit().orders == 2)
    }

    @Test("Responses cut after the hub has committed do not double an order", arguments: [0, 30, 120])
    func cutResponses(bytes: Int) throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.front?.reply { $0.isPush ? .passAndCut(afterBytes: bytes) : .pass }
        let sales = try shop.openSales()
        try sales.sellPieces(6)
        #expect(sales.close() == 0)
        #expect(try shop.status().pending == 6)
        shop.front?.reply { _ in .pass }
        try shop.waitUntilDrained(within: 45)
        let audit = try shop.audit()
        #expect(audit.orders == 6)
        #expect(audit.isComplete)
    }
}
