import Foundation
import HubProtocol
import TestKit
import Testing

@testable import HubServer

/// What people and back offices see of the hub, and what they decide there.
@Suite("The back office")
struct BackOfficeTests {
    /// Reads a path as a program of the back office.
    private func read(
        _ path: String, on hub: HubInProcess, _ headers: [String: String]
    ) async throws -> JSONValue {
        let response = try await hub.request("GET", path, headers: headers)
        #expect(response.status == 200, "\(path): \(response.text)")
        return try response.json()
    }

    /// A sale that is refunded twice as far as it goes: the second refund is refused.
    private func trade(on hub: HubInProcess) async throws -> (
        sale: Mutation, refund: Mutation, refused: Mutation
    ) {
        var till = try await hub.enrol()
        let sale = till.sale()
        let orderId = sale.payload["orderId"] ?? .null
        let payload: JSONValue = ["orderId": orderId, "total": 1000, "reason": "broken"]
        let refund = till.minted("refund.completed", TillOverHTTP.ulid(), dependsOn: [sale.id], payload)
        let refused = till.minted("refund.completed", TillOverHTTP.ulid(), dependsOn: [sale.id], payload)
        let response = try await till.push([sale, refund, refused], on: hub)
        let outcomes = try response.json()["results"]?.array?.compactMap { $0["outcome"]?.string }
        #expect(outcomes == ["applied", "applied", "conflict"])
        return (sale, refund, refused)
    }

    @Test(
        "The journal in pages, with tags; what nobody knows is refused by name", arguments: HubStoreKind.all)
    func journal(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let (sale, refund, _) = try await trade(on: hub)
        let headers = try await hub.operatorHeaders("integrator")
        let first = try await hub.request("GET", Routes.journal + "?limit=1", headers: headers)
        let page = try first.json()
        #expect(page["hasMore"] == true && page["documents"]?.array?.map { $0["id"] } == [.string(sale.id)])
        let cursor = try #require(page["cursor"]?.string)
        let next = try await read(Routes.journal + "?after=\(cursor)", on: hub, headers)
        #expect(
            next["hasMore"] == false && next["documents"]?.array?.map { $0["id"] } == [.string(refund.id)])
        let order = try #require(page["documents"]?.array?.first)
        #expect(order["type"] == "order" && order["storeId"] == "S1" && order["currency"] == "CNY")
        #expect(order["document"]?["total"] == 1250)
        let tag = ["If-None-Match": try #require(first.headers["etag"])]
        let again = try await hub.request(
            "GET", Routes.journal + "?limit=1", headers: headers.merging(tag) { $1 })
        #expect(again.status == 304)
        let refunds = try await read(Routes.journal + "?types=refund,void", on: hub, headers)
        #expect(refunds["documents"]?.array?.map { $0["type"] } == ["refund"])
        let none = try await read(Routes.journal + "?storeId=S2", on: hub, headers)
        #expect(none["documents"] == [] && none["hasMore"] == false)
        for query in ["types=orders", "after=x", "limit=many", "since=2026-11-21"] {
            let refused = try await hub.request("GET", Routes.journal + "?" + query, headers: headers)
            #expect(refused.status == 400, "\(query): \(refused.text)")
        }
    }

    @Test("Orders, figures and their mutations; a tag spares the second reading", arguments: HubStoreKind.all)
    func reading(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let (sale, refund, _) = try await trade(on: hub)
        let headers = try await hub.operatorHeaders("integrator")
        let orders = try await read(Routes.orders, on: hub, headers)
        let order = try #require(orders["orders"]?.array?.first)
        #expect(orders["cursor"] == nil)
        #expect(order["mutationId"] == .string(sale.id))
        #expect(order["total"] == 1250)
        #expect(order["refunded"] == 1000)
        #expect(order["state"] == "refundedInPart")
        let number = try #require(order["orderNumber"]?.string)
        for id in [order["orderId"]?.string ?? "", number, sale.id] {
            let shown = try await read("/v1/orders/\(id)", on: hub, headers)
            #expect(shown["lines"]?.array?.count == 1)
            #expect(shown["reversals"]?.array?.map { $0["mutationId"] } == [.string(refund.id)])
            #expect(shown["reversals"]?.array?.first?["amount"] == 1000)
            #expect(shown["reversals"]?.array?.first?["currency"] == "CNY")
        }
        let rows = try await read(Routes.sales + "?by=store", on: hub, headers)["rows"]?.array
        #expect(rows?.map { $0["net"] } == [250])
        #expect(rows?.first?["key"] == ["storeId": "S1"])
        let first = try await hub.request("GET", Routes.orders, headers: headers)
        let tag = ["If-None-Match": try #require(first.headers["etag"])]
        let again = try await hub.request("GET", Routes.orders, headers: headers.merging(tag) { $1 })
        #expect(again.status == 304)
        for known in ["W/" + (tag["If-None-Match"] ?? ""), "\"a\", " + (tag["If-None-Match"] ?? ""), "*"] {
            let header = headers.merging(["If-None-Match": known]) { $1 }
            #expect(try await hub.request("GET", Routes.orders, headers: header).status == 304, "\(known)")
        }
        #expect(try await hub.request("GET", "/v1/orders/none", headers: headers).status == 404)
        #expect(try await hub.request("GET", Routes.sales + "?by=x", headers: headers).status == 400)
        #expect(try await hub.request("GET", Routes.orders + "?from=x", headers: headers).status == 400)
        #expect(try await hub.request("GET", Routes.orders + "?cursor=x", headers: headers).status == 400)
    }

    @Test(
        "A name that nobody knows is refused with the nearest known one, on every route of people and programs"
    )
    func misspelt() async throws {
        let hub = try await HubInProcess()
        let headers = try await hub.operatorHeaders()
        let sent: [(String, String, String?, String)] = [
            ("GET", Routes.orders + "?storeid=S1", nil, "`storeId`"),
            ("GET", Routes.sales + "?by=day&form=2026-11-01", nil, "`from`"),
            ("GET", Routes.shifts + "?sate=open", nil, "`state`"),
            ("GET", Routes.terminals + "?since=2026-11-01", nil, "no parameter `since`"),
            ("GET", Routes.qosServices + "?scoop=all", nil, "`scope`"),
            ("GET", Routes.events + "?afther=1", nil, "`after`"),
            ("GET", Routes.orders + "?from=2026-11-02&to=2026-11-01", nil, "2026-11-02"),
            ("POST", "/v1/alarms/x/acknowledgement", #"{"note":"seen","not":"y"}"#, "`note`"),
            (
                "PUT", "/v1/qos/services/order/override", #"{"state":"faulty","reason":"x","storeid":"S1"}"#,
                "`storeId`"
            ),
            (
                "PUT", "/v1/qos/services/order/override", #"{"state":"faulty","reason":"x","storeId":5}"#,
                "storeId"
            ),
            (
                "PUT", "/v1/qos/services/order/override",
                #"{"state":"faulty","reason":"x","storeId":["S1"]}"#, "storeId"
            ),
            (
                "PUT", "/v1/qos/services/order/override", #"{"state":"faulty","reason":"x","until":5}"#,
                "until"
            ),
            ("PUT", "/v1/qos/services/order/override", #"{"state":5,"reason":"x"}"#, "state"),
        ]
        for (method, path, body, named) in sent {
            let response = try await hub.request(method, path, headers: headers, body: body)
            #expect(response.status == 400, "\(path) \(body ?? ""): \(response.text)")
            #expect(response.text.contains(named), "\(response.text)")
        }
        let services = try await read(Routes.qosServices, on: hub, headers)["services"]?.array ?? []
        #expect(
            services.allSatisfy { ($0["override"] ?? .null) == .null && ($0["proposal"] ?? .null) == .null })
    }

    @Test("A cursor leads through all orders, each once", arguments: HubStoreKind.all)
    func paging(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        let sales = (0..<7).map { _ in till.sale() }
        _ = try await till.push(sales, on: hub)
        let headers = try await hub.operatorHeaders("viewer")
        var (found, cursor): ([String], String?) = ([], "")
        while let place = cursor {
            let behind = place.isEmpty ? "" : "&cursor=\(place)"
            let page = try await read(Routes.orders + "?limit=3" + behind, on: hub, headers)
            found += (page["orders"]?.array ?? []).compactMap { $0["mutationId"]?.string }
            cursor = page["cursor"]?.string
        }
        #expect(found.sorted() == sales.map(\.id).sorted())
    }

    @Test(
        "A refusal is listed until somebody decides; then it counts as given up", arguments: HubStoreKind.all)
    func refusals(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let (_, _, refused) = try await trade(on: hub)
        let headers = try await hub.operatorHeaders("operator")
        let open = try await read(Routes.refusals, on: hub, headers)["refused"]?.array
        #expect(open?.map { $0["id"] } == [.string(refused.id)])
        #expect(open?.first?["problem"]?["code"] == "conflict")
        #expect(open?.first?["serverState"]?["refunded"] == 1000)
        func resolve(_ keep: String) async throws -> LoopbackResponse {
            try await hub.request(
                "POST", "/v1/refusals/\(refused.id)/resolution", headers: headers,
                body: #"{"keep":"\#(keep)","reason":"seen"}"#)
        }
        #expect(try await resolve("both").status == 400)
        #expect(try await resolve("terminal").json()["resolution"]?["keep"] == "terminal")
        #expect(try await read(Routes.refusals, on: hub, headers)["refused"]?.array?.count == 1)
        let decided = try await resolve("server").json()
        #expect(decided["state"] == "resolved")
        #expect(decided["resolution"]?["by"] == "operator")
        #expect(try await read(Routes.refusals, on: hub, headers)["refused"] == [])
        #expect(
            try await read(Routes.refusals + "?state=all", on: hub, headers)["refused"]?.array?.count == 1)
        #expect(try await resolve("server").problemCode == "refusal_resolved")
        #expect(
            try await hub.perform(.backOffice(.showRefusal(refused.id)))["payload"]?["total"] == 1000)
    }

    @Test("Terminals are listed with their last report, a page at a time", arguments: HubStoreKind.all)
    func terminals(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        let (one, other) = (try await hub.enrol(), try await hub.enrol(store: "S2"))
        let report =
            #"{"appVersion":"9.8","outbox":{"pending":3,"oldestAgeMs":5,"rejected":0,"conflicted":0}}"#
        _ = try await hub.request("POST", Routes.telemetry, headers: one.headers, body: report)
        let headers = try await hub.operatorHeaders("integrator")
        var found: [JSONValue] = []
        var path = Routes.terminals + "?limit=1"
        while true {
            let page = try await read(path, on: hub, headers)
            found += page["terminals"]?.array ?? []
            guard let cursor = page["cursor"]?.string else { break }
            path = Routes.terminals + "?limit=1&cursor=" + cursor
        }
        let ids = [one, other].map(\.grant.terminalId)
        #expect(found.compactMap { $0["terminalId"]?.string } == ids.sorted())
        let first = try #require(found.first { $0["terminalId"]?.string == ids[0] })
        #expect(first["appVersion"] == "9.8" && first["outbox"]?["pending"] == 3)
        #expect(first["state"] == "confirmed")
        let second = try #require(found.first { $0["terminalId"]?.string == ids[1] })
        #expect(second["reportedAt"] == nil && second["storeId"] == "S2")
        let store = try await read(Routes.terminals + "?storeId=S2", on: hub, headers)
        #expect(store["terminals"]?.array?.count == 1)
    }

    @Test(
        "A lease that expired is listed as such, and stays reserved until it ends or is released",
        arguments: HubStoreKind.all)
    func leases(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        try await hub.imported(.promotions, "id,name,kind,amount_minor\np1,Tea,amount,100\n")
        try await hub.imported(.coupons, "code,promotion_id,max_uses,offline\nTEA5,p1,8,true\n")
        let till = try await hub.enrol()
        let wanted = LeaseRequest(kind: .coupon, subject: "tea5", amount: 1, epoch: 1)
        let lent = try await hub.request(
            "POST", Routes.leases, headers: till.headers, body: wanted.json.canonicalText)
        #expect(lent.status == 200, "\(lent.text)")
        func list() async throws -> JSONValue { try await hub.perform(.backOffice(.listLeases(all: false))) }
        #expect(try await list()["leases"]?.array?.map { $0["state"] } == ["open"])
        hub.clock.advance(by: .seconds(72 * 3_600 + 1))
        let late = try await list()
        #expect(late["leases"]?.array?.map { $0["state"] } == ["expired"])
        #expect(late["reserved"]?["coupon"] == 2)
        let id = try #require(late["leases"]?.array?.first?["leaseId"]?.string)
        let released = try await hub.perform(.backOffice(.releaseLease(id: id, reason: "lost")))
        #expect(released["risk"] == 2)
        #expect(try await list()["reserved"]?["coupon"] == 0)
    }

    @Test("Alarms are open until they are acknowledged; flags stay", arguments: HubStoreKind.all)
    func alarms(_ kind: HubStoreKind) async throws {
        let hub = try await HubInProcess(on: kind)
        var till = try await hub.enrol()
        _ = till.sale()
        let headers = try await hub.operatorHeaders("operator")
        // A journal that begins with its second entry, and then one whose link is wrong.
        var other = till
        let (second, third) = (till.sale(), till.sale())
        _ = other.sale()
        _ = try await till.push([second], on: hub)
        _ = try await till.push([other.sale()], on: hub)
        let flags = try await read(Routes.flags, on: hub, headers)["flags"]?.array ?? []
        #expect(flags.contains { $0["flag"] == "chain_broken" })
        let open = try await read(Routes.alarms, on: hub, headers)["alarms"]?.array ?? []
        let alarm = try #require(open.first { $0["kind"] == "chain_broken" })
        let id = try #require(alarm["id"]?.string)
        func acknowledge(_ id: String) async throws -> LoopbackResponse {
            try await hub.request(
                "POST", "/v1/alarms/\(id)/acknowledgement", headers: headers, body: #"{"note":"seen"}"#)
        }
        hub.clock.advance(by: .seconds(1))
        let acknowledged = try await acknowledge(id).json()
        #expect(acknowledged["state"] == "acknowledged")
        #expect(acknowledged["acknowledgedBy"] == "operator")
        let left = try await read(Routes.alarms, on: hub, headers)["alarms"]?.array ?? []
        #expect(!left.contains { $0["id"] == .string(id) })
        let all = try await read(Routes.alarms + "?state=all", on: hub, headers)["alarms"]?.array ?? []
        #expect(all.contains { $0["id"] == .string(id) })
        #expect(try await acknowledge("99999").status == 404)
        #expect(try await acknowledge("none").status == 404)
        _ = third
    }
}
