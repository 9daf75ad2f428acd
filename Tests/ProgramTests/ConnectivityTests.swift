import Base
import FaultRelay
import Foundation
import HubProtocol
import TestKit
import Testing

/// What the till reports of its connection with hubs that misbehave, and what it does with the sales.
@Suite("Connectivity is not a boolean", .onStage)
struct ConnectivityTests {
    private static let json = ["Content-Type": "application/json"]
    private static let login = "<!DOCTYPE html><html><body>Sign in to the guest network</body></html>"

    @Test(
        "A server that responds in place of the hub is reported as a login page, and acknowledges nothing",
        arguments: [
            (
                "a redirect",
                HubFront.Reply.response(status: 302, headers: ["Location": "http://x/"], body: "")
            ),
            ("a page", .response(status: 200, headers: ["Content-Type": "text/html"], body: login)),
            ("another nonce", .response(status: 200, headers: json, body: #"{"status":"ok","nonce":"1"}"#)),
        ])
    func portal(name: String, reply: HubFront.Reply) throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.front?.reply { name == "another nonce" && $0.path != "/healthz" ? .silence(seconds: 4) : reply }
        let sales = try shop.openSales()
        let sale = try sales.sell(SaleRequests.piece())
        #expect(sale["sync"]?.string == "pending", "\(name)")
        try shop.waitUntil("offline", within: 20) { $0.causes == ["network"] }
        let status = try shop.status()
        #expect(status.connectivity("state")?.string == "localNetworkOnly")
        #expect(status.connectivity("reason")?.string == "captivePortal")
        #expect(status.connectivity("captivePortalSuspected")?.bool == true)
        #expect(status["banner"]?["troubles"]?.array == ["loginPage"])
        #expect(status.pending == 1)
        #expect(sales.close() == 0)
        #expect(try shop.audit().received ?? 0 == 0)
    }

    @Test(
        "A name without an address is reported as such",
        .enabled(if: hasDefaultRoute, "needs a default route, or there is no path at all"))
    func noName() throws {
        let shop = try ShopUnderTest()
        let lost = ["POS_HUB_URL": "http://hub.no-such-name.invalid", "POS_HUB_ALLOW_INSECURE": "true"]
        try shop.startAgent(with: lost)
        try shop.waitUntil("offline", within: 30) { $0.causes == ["network"] }
        #expect(try shop.status().connectivity("reason")?.string == "dnsFail")
        #expect(try shop.status()["banner"]?["troubles"]?.array == ["nameNotFound"])
    }

    @Test(
        "After 401 the till tries once more with a new token, keeps the outbox, and stays online with the trouble signIn"
    )
    func signIn() throws {
        let shop = try ShopUnderTest(.front, serving: ["--payments", "simulator"])
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.front?.reply { request in
            guard request.path != "/healthz" else { return .pass }
            let body = #"{"code":"token_invalid","status":401}"#
            return .response(status: 401, headers: ["Content-Type": "application/problem+json"], body: body)
        }
        let before = shop.renewals
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"]?.string == "pending")
        #expect(shop.renewals == before + 1)
        try shop.waitUntil("blocked", within: 5) { $0.connectivity("state")?.string == "authBlocked" }
        #expect(try shop.pos("sync", "now").exitCode == 75)
        #expect(try shop.holds(for: 5) { $0.mode == "online" })
        let status = try shop.status()
        #expect(status.connectivity("reason")?.string == "http401")
        #expect(status.pending == 1)
        #expect(status["banner"]?["action"]?.string == "signIn")
        #expect(status["banner"]?["text"]?["en"]?.string?.contains("sign in") == true)
        #expect(status["policy"]?["mutations"]?["heldBy"]?.array == ["signIn"])
        let card = status["capabilities"]?["payment.card"]
        #expect(card?["route"] == "local")
        #expect(card?["limits"]?.array?.first?.string?.contains("does not accept this terminal") == true)
        #expect(card?["obstacle"]?["reason"] == "authBlocked")
        #expect(card?["obstacle"]?["command"] == status["banner"]?["command"])
        #expect(status["capabilities"]?["member"]?["obstacle"]?["reason"] == "authBlocked")
        #expect(status["capabilities"]?["payment.cash"]?["obstacle"] == nil)
        shop.front?.reply { _ in .pass }
        #expect(try shop.pos("sync", "now").exitCode == 0)
        #expect(try shop.audit().orders == 1)
        #expect(try shop.status().connectivity("state")?.string == "online")
    }

    @Test(
        "The internet responds and the hub does not: degraded at once, a service cause after T1, no look at the Wi-Fi"
    )
    func hubAlone() throws {
        let internet = try ScriptedServer()
        internet.on("/", .whole(204, type: nil, body: ""))
        let shop = try ShopUnderTest(.relay, settings: .hurried.with(["POS_NETWORK_DEBOUNCE_SECONDS": "6"]))
        shop.settings["POS_NETWORK_INTERNET_PROBE_URL"] = internet.url + "/"
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.relay?.setMode(.refusing)
        try shop.waitUntil("degraded", within: 12) { $0.connectivity("state")?.string == "onlineDegraded" }
        #expect(try shop.status().causes == [])
        try shop.waitUntil("a service cause", within: 12) { $0.causes == ["service"] }
        let status = try shop.status()
        #expect(status.connectivity("state")?.string == "backendDown")
        #expect(status.serviceSource("order") == "local")
        #expect(status["banner"]?["troubles"]?.array == ["hubSilent"])
        #expect(status["banner"]?["text"]?["en"]?.string?.contains("internet is fine") == true)
        #expect(status["network"]?["evidence"]?.array?.contains("hubDark") == true)
        shop.relay?.setMode(.open)
        _ = try shop.pos("sync", "now")
        try shop.waitUntil("online", within: 40) { $0.mode == "online" }
    }

    @Test("429 makes the path narrow for its time, and no outage")
    func throttled() throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.front?.reply { request in
            guard request.isPush else { return .pass }
            let headers = ["Content-Type": "application/problem+json", "Retry-After": "6"]
            return .response(status: 429, headers: headers, body: #"{"code":"rate_limited","status":429}"#)
        }
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"]?.string == "pending")
        let status = try shop.status()
        #expect(status.connectivity("state")?.string == "online")
        #expect(status.connectivity("reason")?.string == "rateLimit")
        #expect(status.connectivity("isConstrained")?.bool == true)
        #expect(status["policy"]?["wholeCatalogue"]?["heldBy"]?.array == ["rateLimit"])
        shop.front?.reply { _ in .pass }
        #expect(try shop.holds(for: 4) { $0.mode == "online" && $0.pending == 1 })
        try shop.waitUntilDrained(within: 10)
        #expect(try shop.status().connectivity("isConstrained")?.bool == false)
    }

    @Test("A hub that responds in 2.3 s is degraded and never offline; the outbox goes in small batches")
    func slowHub() throws {
        let shop = try ShopUnderTest(.front)
        try shop.startAgent()
        try shop.waitUntilReachable()
        shop.front?.reply { _ in .passAfter(seconds: 2.3) }
        let sales = try shop.openSales()
        for index in 0..<6 {
            #expect(try sales.sell(SaleRequests.piece(index)).mode == "online")
        }
        try shop.waitUntil("degraded", within: 30) { $0.connectivity("state")?.string == "onlineDegraded" }
        #expect(try shop.holds(for: 10) { $0.mode == "online" && $0.causes.isEmpty })
        let status = try shop.status()
        #expect(status["quality"]?["degraded"]?.bool == true)
        #expect(status["quality"]?["p95Ms"]?.integer ?? 0 >= 2300)
        #expect(status["policy"]?["smallBatches"]?.bool == true)
        #expect(status["policy"]?["wholeCatalogue"]?["heldBy"]?.array == ["degraded"])
        #expect(status["policy"]?["mutations"]?["allowed"]?.bool == true)
        #expect(try shop.document("history")["periods"]?.array == [])
        shop.front?.reply { _ in .pass }
        try shop.waitUntilDrained(within: 30)
        #expect(sales.close() == 0)
        #expect(try shop.audit().orders == 6)
    }

    @Test("Killed and started without a network, the till connects with its last good times, and sells")
    func coldStart() throws {
        let shop = try ShopUnderTest()
        try shop.startAgent()
        try shop.waitUntilReachable()
        _ = try shop.document("sell", "--line", Article.assortment[0].barcode)
        let good = try #require(try shop.status().connectivity("lastBackendOkAt")?.string)
        shop.killAgent()
        shop.killHub()
        try shop.startAgent(with: ["POS_NETWORK_DEBOUNCE_SECONDS": "8"])
        let status = try shop.status()
        #expect(status.mode == "online")
        #expect(status.connectivity("state")?.string == "localNetworkOnly")
        let kept = try #require(status.connectivity("lastBackendOkAt")?.string)
        let apart = (Timestamp.milliseconds(of: good) ?? 0) - (Timestamp.milliseconds(of: kept) ?? 0)
        #expect((0...60_500).contains(apart))
        #expect(status.connectivity("lastInternetOkAt")?.string != nil)
        #expect(status["banner"]?["troubles"]?.array == ["connecting"])
        #expect(status["banner"]?["text"]?["en"]?.string?.hasPrefix("CONNECTING") == true)
        let sale = try shop.document("sell", "--line", Article.assortment[0].barcode)
        #expect(sale["sync"]?.string == "pending")
        #expect(try shop.document("status").connectivity("state")?.string != "online")
    }

    private static var hasDefaultRoute: Bool {
        let routes = (try? String(contentsOfFile: "/proc/net/route", encoding: .utf8)) ?? ""
        return routes.split(separator: "\n").contains {
            $0.split(separator: "\t").dropFirst().first == "00000000"
        }
    }
}

extension JSONValue {
    /// A member of the status's snapshot.
    fileprivate func connectivity(_ name: String) -> JSONValue? { self["connectivity"]?[name] }
}

extension ShopUnderTest {
    /// How many times the till requested a new token.
    fileprivate var renewals: Int { front?.requests.count { $0.path == "/v1/terminals/self/token" } ?? 0 }
}
