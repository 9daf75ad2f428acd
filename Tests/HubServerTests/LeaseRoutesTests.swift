import HubCore
import HubProtocol
import HubServer
import Pricing
import TestKit
import Testing

/// How a lease that another terminal wants comes back, by the requests of both.
@Suite("The hub's leases")
struct LeaseRoutesTests {
    /// A hub with a coupon for one sale that is valid without it.
    private func hub(_ store: HubStoreKind) async throws -> HubInProcess {
        let hub = try await HubInProcess(on: store)
        try await hub.imported(.members, "id,phone,name,points,tier\nm1,,Li,1000,\n")
        try await hub.imported(
            .promotions, "id,name,kind,amount_minor,offline\np1,Five off,amount,500,true\n")
        try await hub.imported(
            .coupons, "code,promotion_id,max_uses,offline\nONE,p1,1,true\nTEA,p1,1,false\n")
        return hub
    }

    private func headers(_ till: TillOverHTTP) -> [String: String] {
        till.headers.merging([HeaderNames.schema: "\(Schema.current)"]) { $1 }
    }

    private func post(
        _ path: String, _ body: JSONValue, by till: TillOverHTTP, on hub: HubInProcess
    ) async throws -> LoopbackResponse {
        try await hub.request("POST", path, headers: headers(till), body: body.canonicalText)
    }

    /// What the till's next page of the feed has of leases.
    private func pulled(_ till: TillOverHTTP, on hub: HubInProcess) async throws -> [LeaseRecord] {
        let page = try await hub.request("GET", Routes.changes, headers: headers(till))
        #expect(page.headers["pos-feed"] == nil)
        return try ChangePage(json: page.json()).changes.filter { $0.entity == LeaseRecord.entity }
            .compactMap { $0.value }.map { try LeaseRecord(json: $0) }
    }

    private func news(_ till: TillOverHTTP, on hub: HubInProcess) async throws -> String? {
        try await hub.request("GET", Routes.qosDecisions, headers: headers(till)).headers["pos-feed"]
    }

    private let wanted: JSONValue = ["kind": "coupon", "subject": "one", "amount": 1, "epoch": 1]

    @Test(
        "A terminal learns with any response that others want its lease, returns it, and they get it",
        arguments: HubStoreKind.all)
    func recall(_ store: HubStoreKind) async throws {
        let hub = try await hub(store)
        let (a, b) = (try await hub.enrol(), try await hub.enrol())
        let lease = try #require(try await pulled(a, on: hub).first)
        #expect(lease.amount == 1 && !lease.isRecalled)
        #expect(try await news(a, on: hub) == nil)

        let refused = try LentLeases(json: try await post(Routes.leases, wanted, by: b, on: hub).json())
        #expect(refused == LentLeases(leases: [], isRecalled: true))
        #expect(try await news(a, on: hub) == HeaderNames.feedMoved)
        #expect(try await news(b, on: hub) == nil)
        #expect(try await pulled(a, on: hub).map(\.isRecalled) == [true])
        let listed = try await hub.perform(.backOffice(.listLeases(all: false)))["leases"]?.array?.first
        #expect(listed?["recalled"] == 1 && listed?["state"] == "open")

        func order(_ spent: Int64, epoch: Int64 = 1) -> JSONValue {
            LeaseReturn(
                epoch: epoch, sequence: 0, leases: [LeaseReturn.Part(leaseId: lease.leaseId, spent: spent)]
            ).json
        }
        // Neither another terminal nor another epoch of this one returns it.
        for (till, epoch) in [(b, 1), (a, 2)] as [(TillOverHTTP, Int64)] {
            #expect(
                try await post(Routes.leaseReturns, order(0, epoch: epoch), by: till, on: hub).json()
                    == ["leases": []])
        }
        #expect(try await news(a, on: hub) == HeaderNames.feedMoved)
        for _ in 0..<2 {
            let response = try await post(Routes.leaseReturns, order(0), by: a, on: hub)
            #expect(response.status == 200)
            #expect(try response.json() == ["leases": []])
        }
        #expect(try await news(a, on: hub) == nil)
        #expect(try await pulled(a, on: hub) == [])
        let lent = try LentLeases(json: try await post(Routes.leases, wanted, by: b, on: hub).json())
        #expect(lent.leases.map(\.amount) == [1] && !lent.isRecalled)
        #expect(try await post(Routes.leaseReturns, ["epoch": 1], by: a, on: hub).status == 400)
    }

    @Test("A lease names its terminal, as the feed and as a response have it, and is signed so")
    func signed() async throws {
        let hub = try await hub(.sqlite)
        let till = try await hub.enrol()
        let feed = try #require(try await pulled(till, on: hub).first { $0.kind == .coupon })
        let lent = try LentLeases(json: try await post(Routes.leases, wanted, by: till, on: hub).json())
        for lease in try [feed.json, #require(lent.documents.first)] {
            #expect(lease["terminalId"]?.string == till.grant.terminalId)
            #expect(LeaseRecord.isSigned(lease, by: hub.signingKeys) == true)
            #expect(LeaseRecord.isSigned(lease, by: []) == nil)
            for (name, value) in [("subject", "other"), ("terminalId", "T2"), ("later", "1")] {
                var members = try #require(lease.object)
                members[name] = .string(value)
                #expect(LeaseRecord.isSigned(.object(members), by: hub.signingKeys) == false)
            }
        }
    }

    @Test("The evaluation says which coupons a sale needs a lease for")
    func leased() async throws {
        let hub = try await hub(.sqlite)
        let till = try await hub.enrol()
        let basket = #"{"coupons":["one","TEA"],"lines":[{"sku":"x","quantityMilli":1000,"unitPrice":1250}]}"#
        let response = try await hub.request(
            "POST", Routes.promotionEvaluation, headers: till.headers, body: basket)
        let coupons = try response.json()["coupons"]?.array ?? []
        #expect(coupons.map { $0["leased"] } == [true, nil])
        #expect(try ReductionsShape(json: response.json()).coupons.map(\.isLeased) == [true, false])
    }
}
