import Base
import HubProtocol
import OfflineCore
import Testing

@testable import AgentAPI

@Suite("The status between pos and its agent")
struct StatusTests {
    private static let common = """
        "mode":"offline","since":"2026-11-22T16:00:00.000Z","causes":["network"],\
        "manual":{"on":false,"since":null,"by":null,"reason":null},\
        "services":[{"service":"order","core":true,"state":"healthy","since":"2026-11-22T16:00:00.000Z",\
        "source":"qos","generation":3}],\
        "capabilities":{"checkout":{"route":"local","limits":[]},"payment.card":{"route":"local",\
        "limits":["take cash"]}},\
        "banner":{"troubles":["noInternet"],"text":{"en":"OFFLINE","zh":"离线"},"action":"retry",\
        "advice":{"call":"nobody","level":"alert","sell":"yes","tenders":"all"},\
        "command":"pos sync now","language":null},\
        "hub":"http://127.0.0.1:1","terminalId":"T1","storeId":null,"version":"0.1.0"
        """
    private static let connectivity = """
        "state":"localNetworkOnly","transport":"wifi","isMetered":false,"isConstrained":true,"latencyMs":null,\
        "lastInternetOkAt":null,"lastBackendOkAt":"2026-11-22T15:00:00.000Z","captivePortalSuspected":false,\
        "reason":"none"
        """
    private static let activity = #"{"allowed":false,"heldBy":["manual"]}"#
    private static let catalogue = """
        {"lastPullAt":null,"ageMs":null,"problem":"x","skipped":[{"entity":"product","entityId":"1",\
        "reason":"r","at":"2026-11-22T15:00:00.000Z"}]}
        """

    private static let tender = """
        {"method":"card","kind":"card","route":"stored","limitMinor":5000,"needs":["signIn"],"reason":null,\
        "ends":{"at":null,"command":"pos sign-in CASHIER"}}
        """

    static let status = """
        {\(common),"connectivity":{\(connectivity),"coreCallsFail":false,"rateLimitEndsAt":null,\
        "standby":"wwan0"},\
        "network":{"state":"unreachable","since":"2026-11-22T16:00:00.000Z","evidence":["ping"],"t1Ms":8000,\
        "deadlineInMs":null},\
        "outbox":{"pending":2,"oldestAgeMs":5,"rejected":0,"conflicted":0,"acknowledgedThrough":7,\
        "largePacketsLost":false,"retryAfterEndsAt":null},\
        "quality":{"samples":4,"failures":1,"p50Ms":12,"p95Ms":null,"degraded":false},\
        "policy":{"mutations":\(activity),"catalogue":\(activity),"wholeCatalogue":\(activity),\
        "attachments":\(activity),"telemetry":{"allowed":true,"heldBy":[]},"smallBatches":true},\
        "schema":{"state":"welcome","sunsetAt":null,"deprecatedAt":null},"catalogue":\(catalogue),\
        "orderNumbers":{"leap":{"at":"2026-11-22T16:00:00.000Z","reason":"recovered","number":"9"}},\
        "store":{"state":"ok","detail":null,"command":null,"loss":null,"repair":{"entries":1},"heldBack":0},\
        "signInRequired":true,"unseenCardSales":1,"cardDebts":2,"clock":{"hubAheadMs":-4,"state":"agrees"},\
        "cardReturns":{"waiting":2,"waitingForCard":1,"requested":3,"refused":2},\
        "till":{"storeName":"Tea","number":2,"timeZone":"Asia/Shanghai","cashier":{"cashierId":null},"shiftId":null},\
        "tenders":[\(tender)],"points":{"route":"refused","limit":0,"balance":null,"valueMinor":5,"minimum":1,\
        "needs":[],"reason":"points_member_unknown","ends":{"at":null,"command":null},"text":{"en":"x"}}}
        """

    @Test("The status of a running agent is read and written without a change, and misses each member")
    func running() throws {
        let status = try checkDocument(
            StatusResponse.self, Self.status, optional: ["text", "standby"])
        #expect(status.running?.tenders.map(\.limitMinor) == [5000])
        #expect(status.running?.points.text(in: .english) == "x")
        #expect(status.running?.cardDebts == 2)
        #expect(
            status.running?.cardReturns
                == CardReturnCounts(waiting: 2, waitingForCard: 1, requested: 3, refused: 2))
        #expect(status.running?.hubAheadMilliseconds == -4)
        #expect(status.running?.policy.mutations.heldBy == [.manual])
        #expect(status.banner.texts["zh"] == "离线")
        #expect(status.capabilities[.card]?.limits == ["take cash"])
    }

    @Test("The status of a damaged database has no part that only a running agent knows")
    func damaged() throws {
        let status = try checkDocument(
            StatusResponse.self,
            """
            {\(Self.common),"connectivity":{\(Self.connectivity)},\
            "network":{"state":"suspect","since":null,"evidence":["starting"],"deadlineInMs":null},\
            "outbox":{"pending":2,"oldestAgeMs":null,"rejected":1,"conflicted":0,"acknowledgedThrough":null,\
            "retryAfterEndsAt":null},\
            "store":{"state":"damaged","detail":"x","command":"pos repair","loss":null,"repair":null,\
            "heldBack":0}}
            """)
        #expect(status.running == nil)
    }

    @Test("An outbox that cannot be read has null for every number")
    func unreadable() throws {
        let counts = try checkDocument(
            OutboxCounts.self,
            """
            {"pending":null,"oldestAgeMs":null,"rejected":null,"conflicted":null,"acknowledgedThrough":null,\
            "largePacketsLost":null,"retryAfterEndsAt":null}
            """)
        #expect(counts == .unreadable)
    }

    @Test("Ping, the next status, the switch and retry arrive as they were sent")
    func calls() throws {
        _ = try checkDocument(
            PingCall.Response.self, #"{"version":"1","ofCommand":true}"#, optional: ["ofCommand"])
        _ = try checkDocument(NextStatusCall.Response.self, "{\"revision\":7,\"status\":\(Self.status)}")
        #expect(NextStatusCall(query: NextStatusCall(after: 9).request.query).after == 9)
        let call = SetManualCall(
            isOn: true, reason: "counting", by: "anna", person: AgentPerson(cashierId: "anna", pin: "1"))
        let read = try SetManualCall(body: received(call))
        #expect(read.isOn && read.reason == "counting" && read.by == "anna" && read.person == call.person)
        #expect(throws: RequestRefusal.self) { try SetManualCall(body: ["on": "yes"]) }
        _ = try checkDocument(RetryCall.Response.self, #"{"retrying":true}"#)
    }
}
