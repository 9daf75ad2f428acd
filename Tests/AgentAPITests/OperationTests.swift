import Base
import HubProtocol
import Testing

@testable import AgentAPI

@Suite("People and operation between pos and its agent")
struct OperationTests {
    @Test("Who is signed in is read and written without a change")
    func session() throws {
        let cashier = """
            {"cashierId":"anna","name":"Anna","role":"manager","signedInAt":"2026-11-22T16:00:00.000Z",\
            "expiresAt":"2026-11-22T20:00:00.000Z"}
            """
        #expect(try checkDocument(SessionResponse.self, cashier).cashier?.role == "manager")
        #expect(try checkDocument(SessionResponse.self, #"{"cashierId":null}"#).cashier == nil)
        let call = SessionCall.signIn(cashierId: "anna", pin: "1")
        #expect(try SessionCall(signIn: received(call)) == call)
        #expect(throws: SessionCall.malformed) { try SessionCall(signIn: ["cashierId": "anna"]) }
    }

    @Test("Notes are read and written without a change, and each change arrives as it was sent")
    func notes() throws {
        let note = """
            {"id":"N1","text":"a","author":null,"version":2,"state":"pending","deletedAt":null,\
            "value":{"text":"a","colour":"red"}}
            """
        let list = try checkDocument(
            NoteListCall.Response.self, "{\"notes\":[\(note)],\"tombstones\":[]}")
        #expect(list.notes.first?.text == "a")
        let person = AgentPerson(cashierId: "anna")
        let files = AttachedFiles(paths: ["/a"], isUrgent: true)
        let calls = [
            ChangeNoteCall(.add(author: "anna"), text: "a", person: person, files: files),
            ChangeNoteCall(.edit(id: "N1"), text: "b", person: person, files: files),
            ChangeNoteCall(.delete(id: "N1"), person: person),
        ]
        for call in calls {
            let steps = call.request.path.dropFirst(AgentRoutes.notes.count).split(separator: "/")
            let read = try #require(
                try ChangeNoteCall(steps: steps.map(String.init), body: received(call)))
            #expect(read.change == call.change && read.text == call.text && read.person == person)
        }
        #expect(try ChangeNoteCall(steps: ["N1"], body: nil) == nil)
    }

    @Test("A new member is read and written without a change, and a wrong member of the request is named")
    func member() throws {
        let made = try checkDocument(
            AddMemberCall.Response.self, #"{"memberId":"01J","name":null,"created":true}"#)
        #expect(made.isNew && made.name == nil)
        let call = AddMemberCall(phone: "138", name: "Li", person: AgentPerson(cashierId: "anna"))
        let read = try AddMemberCall(body: received(call))
        #expect(read.phone == "138" && read.name == "Li" && read.person == call.person)
        #expect(throws: RequestRefusal.self) { try AddMemberCall(body: ["tier": "gold"]) }
    }

    @Test("Services, history, doctor and products are read and written without a change")
    func operation() throws {
        _ = try checkDocument(
            ServicesCall.Response.self,
            """
            {"answered":true,"issuer":"hub","services":[{"service":"order","core":true,"state":"faulty",\
            "source":"qos","generation":1,"qos":{"state":"faulty","scope":"store","source":"reports",\
            "reason":null,"generation":1}},{"service":"member","core":false,"state":"healthy",\
            "source":"local","generation":0,"qos":null}]}
            """)
        _ = try checkDocument(
            HistoryCall.Response.self,
            """
            {"periods":[{"start":"2026-11-22T16:00:00.000Z","end":null,"causes":["manual"],"evidence":[],\
            "sales":3}]}
            """)
        let doctor = try checkDocument(
            DoctorCall.Response.self,
            """
            {"ready":false,"score":16,"checks":[{"name":"disk","ok":false,"detail":"full","weight":5,\
            "fix":"make room"},{"name":"ping","ok":true,"detail":"fine","weight":1,"ageMs":7}]}
            """, optional: ["score"])
        #expect(!doctor.isReady)
        #expect(DoctorCall.Response(checks: doctor.checks) == doctor)
        let before = try DoctorCall.Response(
            json: JSONParser.parse(#"{"ready":false,"checks":[{"name":"a","ok":false,"detail":"b"}]}"#.utf8))
        #expect(before.score == 0 && before.checks.first?.weight == 1)
        #expect(DoctorCall.Check(name: "a", isOk: true, detail: "b", fix: "c").fix == nil)
        #expect(DoctorCall.Response(checks: []).score == 0)
        _ = try checkDocument(
            ProductCall.Response.self,
            #"{"sku":"S1","barcode":"690","name":"Tea","priceMinor":900,"currency":"CNY"}"#)
        #expect(try ProductCall(query: ProductCall(barcode: "690").request.query).barcode == "690")
    }

    @Test("Enrolment and repair are read and written without a change, and miss each member")
    func launch() throws {
        _ = try checkDocument(
            EnrolmentResult.self,
            #"{"terminalId":"T1","storeId":"S1","terminalNumber":1,"hub":"http://127.0.0.1:1","products":9}"#)
        _ = try checkDocument(RepairResult.self, #"{"repaired":false}"#)
        _ = try checkDocument(
            RepairResult.self,
            """
            {"repaired":true,"epoch":3,"quarantine":["/q"],"at":"2026-11-22T16:00:00.000Z","entries":5,\
            "pending":1,"refused":0,"lost":[{"sequence":4,"id":null,"orderNumber":"T1-1",\
            "state":"acknowledged","reason":"unreadable"}],"lostCount":1,"lostPending":null,\
            "isEndKnown":true,"identity":"kept"}
            """)
    }

    @Test("An error arrives with its code, message, exit code and details")
    func failure() throws {
        let failure = AgentFailure(
            code: "approval_required", message: "a manager has to approve it", exit: 1,
            details: AgentFailure.Details(
                waitMilliseconds: 5, action: "void", translations: [.chinese: "需要批准"]))
        #expect(AgentFailure(response: failure.response, status: 409) == failure)
        #expect(failure.document["error"]?["exit"] == nil)
        #expect(AgentFailure(response: [:], status: 200) == nil)
        #expect(
            AgentFailure(response: ["error": [:]], status: 500)
                == AgentFailure(code: "unknown", message: "the agent answered 500", exit: nil))
        #expect(failure.streamLine(of: ["key": "K"])["key"] == "K")
        #expect(failure.streamLine(of: nil).object?["key"] == .null)
    }
}
