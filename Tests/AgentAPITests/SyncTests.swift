import HubProtocol
import Testing

@testable import AgentAPI

@Suite("The outbox between pos and its agent")
struct SyncTests {
    private static let outbox = """
        "pending":1,"oldestAgeMs":5,"rejected":1,"conflicted":0,"acknowledgedThrough":7,"largePacketsLost":true,\
        "retryAfterEndsAt":"2026-11-22T16:00:00.000Z","items":[{"id":"M1","sequence":8,"type":"order.completed",\
        "attempts":2,"nextAttemptAt":null,"state":"rejected","problem":{"detail":"no"},\
        "waitsForAttachments":["A1"]}],"attachments":[{"id":"A1","name":"slip.png","sha256":"00","size":9,\
        "contentType":"image/png","urgent":true,"state":"held","heldBy":["metered"],"received":null,\
        "nextAttemptAt":null,"problem":null}],"drain":null,\
        "schema":{"state":"retiring","sunsetAt":"2026-12-22T16:00:00.000Z","deprecatedAt":null}
        """

    @Test("The outbox is read and written without a change, and misses each member")
    func outbox() throws {
        let outbox = try checkDocument(
            OutboxResponse.self, "{\(Self.outbox)}", optional: ["largePacketsLost"])
        #expect(outbox.items.first?.problemText == "no")
        let now = try checkDocument(
            SyncNowCall.Response.self,
            """
            {\(Self.outbox),"catalogue":{"lastPullAt":null,"ageMs":3,"problem":null,"skipped":[],"failed":true},\
            "sent":4,"stoppedBy":null,"retryHelps":false}
            """, optional: ["largePacketsLost"])
        #expect(now.catalogue.hasFailed == true)
    }

    @Test("Refusals are read and written without a change")
    func refusals() throws {
        let response = try checkDocument(
            RefusalListCall.Response.self,
            """
            {"items":[{"id":"M1","sequence":1,"type":"note.edited","entityId":"N1","state":"conflicted",\
            "madeAt":"2026-11-22T16:00:00.000Z","orderNumber":null,"problem":{"title":"x"},"policy":"manual",\
            "serverState":{"version":2},"payload":{"text":"a"}}],"heldBack":[{"id":"M2","sequence":2,\
            "type":"order.completed","madeAt":"2026-11-22T16:00:00.000Z","orderNumber":"T1-1","payload":null}],\
            "sales":0,"amounts":[{"amount":5,"currency":"KWD"}]}
            """)
        #expect(response.items.first?.problemText == #"{"title":"x"}"#)
    }

    @Test("Each decision on a refusal arrives as it was sent")
    func decisions() throws {
        let changes = PayloadChanges(payload: ["a": 1], set: ["lines.0.sku": "S2"], unset: ["b"])
        let decisions: [ResolveRefusalCall.Decision] = [
            .retry, .edit(changes), .discard(reason: "twice", by: "anna"), .resolve(keep: .mine, by: nil),
            .resolve(keep: .server, by: "anna"),
        ]
        for decision in decisions {
            let person = decision == .retry ? AgentPerson() : AgentPerson(cashierId: "anna", pin: "1")
            let call = ResolveRefusalCall(id: "M1", decision, by: person)
            let verb = try #require(call.request.path.split(separator: "/").last.map(String.init))
            let read = try #require(try ResolveRefusalCall(id: "M1", verb: verb, body: received(call)))
            #expect(read.decision == decision && read.person == person)
        }
        #expect(try ResolveRefusalCall(id: "M1", verb: "forget", body: nil) == nil)
    }

    @Test("A resolved refusal names both mutations", arguments: ResolveRefusalCall.Response.Kind.allCases)
    func resolved(_ kind: ResolveRefusalCall.Response.Kind) throws {
        let response = try checkDocument(
            ResolveRefusalCall.Response.self, "{\"id\":\"M2\",\"\(kind.rawValue)\":\"M1\"}",
            optional: [kind.rawValue])
        #expect(response.kind == kind)
        #expect(throws: ShapeError.self) { try ResolveRefusalCall.Response(json: ["id": "M2"]) }
    }

    @Test("An export arrives as it was sent, and a relative path is refused")
    func export() throws {
        let call = ExportCall(file: "/tmp/x", plainReason: "audit")
        let read = try ExportCall(body: received(call))
        #expect(read.file == "/tmp/x" && read.plainReason == "audit")
        #expect(throws: RequestRefusal.self) { try ExportCall(body: ["file": "x"]) }
        _ = try checkDocument(
            ExportCall.Response.self,
            """
            {"file":"/tmp/x","entries":3,"pending":1,"attachments":0,"lostAttachments":[],"sealedTo":null,\
            "signed":true,"salvage":{"entries":3}}
            """, optional: ["salvage"])
    }
}
