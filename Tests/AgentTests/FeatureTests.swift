import AgentAPI
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import TestKit
import Testing

@testable import Agent

@Suite("The agent's features over a real database", .timeLimit(.minutes(2)))
struct FeatureTests {
    @Test("Notes are added, changed and deleted, and each change waits in the outbox")
    func notes() async throws {
        try await withAgent { agent in
            let note = try await agent.send(
                ChangeNoteCall(.add(author: "Li"), text: "milk is late", person: AgentPerson()))
            _ = try await agent.send(
                ChangeNoteCall(.edit(id: note.id), text: "milk came", person: AgentPerson()))
            let answer1 = try await agent.send(NoteListCall())
            #expect(answer1.notes.map(\.id) == [note.id])
            _ = try await agent.send(ChangeNoteCall(.delete(id: note.id), person: AgentPerson()))
            let list = try await agent.send(NoteListCall())
            #expect(list.notes.isEmpty && list.tombstones.map(\.id) == [note.id])
            let items = try await agent.send(SyncStatusCall()).items
            #expect(items.map(\.type) == ["note.upserted", "note.upserted", "note.deleted"])
        }
    }

    @Test("An agent that lasts reserves the first sale's number ahead of it, a command's own agent does not")
    func reservedNumbers() async throws {
        let lasting = try await AgentUnderTest(servesSocket: true)
        while !lasting.hasReserved { await Task.yield() }
        await lasting.stop()
        let brief = try await AgentUnderTest()
        _ = try await brief.send(StatusCall())
        await brief.stop()
        #expect(!brief.hasReserved)
    }

    @Test("A note of 4096 bytes is recorded; one byte more, none, and an unknown note are refused by name")
    func noteLimits() async throws {
        try await withAgent { agent in
            _ = try await agent.send(
                ChangeNoteCall(
                    .add(author: nil), text: String(repeating: "x", count: 4096), person: AgentPerson()))
            let long = JSONValue.string(String(repeating: "x", count: 4097))
            #expect(await agent.refusal("POST", "/v1/notes", ["text": long]) == "text_too_long")
            #expect(await agent.refusal("POST", "/v1/notes", [:]) == "text_missing")
            #expect(await agent.refusal("POST", "/v1/notes/none/edit", ["text": "x"]) == "unknown_note")
            let answer2 = try await agent.send(NoteListCall())
            #expect(answer2.notes.count == 1)
        }
    }

    @Test("The manual switch is in the next status, with the reason, until it is taken back")
    func manualSwitch() async throws {
        try await withAgent { agent in
            let before = try await agent.send(NextStatusCall(after: 0))
            let manual = try await agent.send(SetManualCall(isOn: true, reason: "counting"))
            #expect(manual.isOn && manual.reason == "counting")
            let after = try await agent.send(NextStatusCall(after: before.revision))
            #expect(after.revision > before.revision)
            let status = try await agent.send(StatusCall())
            #expect(status.mode == .offline && status.causes.contains(.manual))
            let answer3 = try await agent.send(SetManualCall(isOn: false))
            #expect(answer3.isOn == false)
        }
    }

    @Test("A card that was refused after its sale is in status, banner and doctor until it is settled")
    func cardDebts() async throws {
        func card(_ key: String, settledAt: Int64? = nil) throws -> StoredCard {
            StoredCard(
                token: key, amount: 1250, currency: "CNY",
                businessDay: try #require(BusinessDay(number: 20_261_121)),
                takenAt: MachineMoment(wall: 5, boot: 6, bootId: "b"), shiftId: "s1",
                state: .declined(reason: "stolen card"), settledAt: settledAt)
        }
        try await withAgent(cards: [card("01K1"), card("01K2", settledAt: 9)]) { agent in
            let status = try await agent.send(StatusCall())
            #expect(status.running?.cardDebts == 1)
            #expect(status.banner.troubles.contains("cardDebts"))
            #expect(status.banner.texts["en"]?.contains("a card was refused after its sale") == true)
            #expect(status.banner.texts["zh"]?.contains("离线刷卡事后被拒") == true)
            let check = try await agent.send(DoctorCall()).checks.first { $0.name == "card debts" }
            #expect(check?.isOk == false)
            #expect(check?.detail.contains("12.50 CNY are owed (01K1 12.50 CNY, stolen card)") == true)
            #expect(check?.fix?.contains("pos-hub debts settle") == true)
        }
        try await withAgent(cards: [card("01K2", settledAt: 9)]) { agent in
            let status = try await agent.send(StatusCall())
            #expect(status.running?.cardDebts == 0 && !status.banner.troubles.contains("cardDebts"))
            #expect(try await !agent.send(DoctorCall()).checks.contains { $0.name == "card debts" })
        }
    }

    @Test("Decisions on refusals are refused by name where there is no refusal, no reason and no side")
    func refusals() async throws {
        try await withAgent { agent in
            let answer4 = try await agent.send(RefusalListCall())
            #expect(answer4.items.isEmpty)
            let path = "/v1/sync/rejected/01ARZ3NDEKTSV4RRFFQ69G5FAV"
            #expect(await agent.refusal("POST", path + "/retry") == "unknown_mutation")
            #expect(await agent.refusal("POST", path + "/edit", [:]) == "nothing_to_edit")
            #expect(await agent.refusal("POST", path + "/discard", [:]) == "reason_missing")
            #expect(await agent.refusal("POST", path + "/resolve", [:]) == "keep_missing")
        }
    }

    @Test("An entry without a result is tried again at once by its own id")
    func retryPending() async throws {
        try await withAgent { agent in
            _ = try await agent.send(ChangeNoteCall(.add(author: nil), text: "x", person: AgentPerson()))
            let before = try await agent.send(SyncStatusCall())
            let id = try #require(before.items.first?.id)
            let answer5 = try await agent.send(ResolveRefusalCall(id: id, .retry))
            #expect(answer5.id == id)
        }
    }

    @Test("A sale of an unknown article is refused, and nothing is recorded")
    func unknownArticle() async throws {
        try await withAgent { agent in
            let line: JSONValue = ["barcode": "4006381333931"]
            let code = await agent.refusal("POST", "/v1/sales", ["lines": [line]])
            #expect(code == "unknown_barcode")
            #expect(await agent.refusal("GET", "/v1/products") == "malformed_request")
            let answer6 = try await agent.send(OrderListCall(limit: 10))
            #expect(answer6.orders.isEmpty)
            #expect(await agent.refusal("GET", "/v1/orders/none") == "unknown_order")
        }
    }

    @Test("A text that the hub would flag is refused before anything is done, whatever the request is")
    func longTexts() async throws {
        try await withAgent { agent in
            let long = JSONValue.string(String(repeating: "x", count: 1 << 20))
            let requests: [(String, JSONValue)] = [
                ("/v1/sales", ["lines": [["barcode": long]]]),
                ("/v1/sales", ["lines": [], "payments": [["method": "voucher", "reference": long]]]),
                ("/v1/sales", ["lines": [], "coupons": [long]]),
                ("/v1/sales", ["lines": [], "cashierId": long]),
                ("/v1/carts", ["name": long]), ("/v1/notes", ["text": long]), ("/v1/members", ["name": long]),
                ("/v1/orders/x/refund", ["lines": [], "reason": long]),
            ]
            for (path, body) in requests {
                let response = await agent.agent.handler.handle(AgentRequest("POST", path, body: body))
                #expect(response.error?.code == "text_too_long", "\(path)")
                #expect(response.error?.message.hasSuffix(" bytes; shorten it.") == true, "\(path)")
            }
            let search = AgentRequest(
                "GET", "/v1/products/search", query: ["search": String(repeating: "x", count: 1 << 20)])
            #expect(await agent.agent.handler.handle(search).error?.code == "text_too_long")
        }
    }

    @Test(
        "Whatever lists, searches, reports or exports is handled in the background, sales and changes are not",
        arguments: [
            "GET /v1/status", "GET /v1/status/stream", "GET /v1/orders", "GET /v1/orders/X",
            "GET /v1/orders/X/receipt", "GET /v1/card-returns", "GET /v1/products",
            "GET /v1/products/search", "GET /v1/departments", "GET /v1/carts", "GET /v1/shifts",
            "GET /v1/shifts/current", "GET /v1/notes", "GET /v1/sync", "POST /v1/sync/now",
            "POST /v1/sync/export", "GET /v1/sync/rejected", "GET /v1/printer", "GET /v1/history",
            "GET /v1/doctor", "POST /v1/doctor/drill",
        ])
    func places(request: String) async throws {
        try await withAgent(isRunning: false) { agent in
            let words = request.split(separator: " ").map(String.init)
            #expect(agent.agent.handler.place(of: AgentRequest(words[0], words[1])) == .background)
            let others = [
                ("GET", "/v1/ping"), ("POST", "/v1/sales"), ("POST", "/v1/quotes"), ("POST", "/v1/carts"),
                ("POST", "/v1/shifts/close"), ("POST", "/v1/orders/X/void"), ("GET", "/v1/session"),
            ]
            for (method, path) in others {
                #expect(agent.agent.handler.place(of: AgentRequest(method, path)) == .loop, "\(path)")
            }
        }
    }

    @Test("A reader shows what lies on the disk, without a drainer")
    func reader() async throws {
        try await withAgent(isRunning: false) { agent in
            let answer7 = try await agent.send(StatusCall())
            #expect(answer7.terminalId == "t-3")
            let answer8 = try await agent.send(SyncStatusCall())
            #expect(answer8.drain == nil)
            let answer9 = try await agent.send(HistoryCall())
            #expect(answer9.periods.isEmpty)
        }
    }

    @Test(
        "What no feature has is refused with its method and path",
        arguments: [
            ("GET", "/v1/nothing"), ("POST", "/v1/status"), ("GET", "/v1/sales"), ("GET", "/"),
            ("POST", "/v1/session/begin"), ("POST", "/v1/notes/x"), ("POST", "/v1/notes/x/lose"),
            ("POST", "/v1/sync/rejected/x"), ("POST", "/v1/sync/rejected/x/forget"),
            ("POST", "/v1/orders/x/hide"), ("GET", "/v1/orders/x/void"),
        ])
    func unknown(method: String, path: String) async throws {
        try await withAgent(isRunning: false) { agent in
            let response = await agent.agent.handler.handle(AgentRequest(method, path))
            #expect(response.status == 400 && response.error?.code == "unknown_request")
            #expect(response.error?.message.contains("\(method) \(path)") == true)
        }
    }

    @Test("A canary of the order service ends without a result when its caller is cancelled")
    func cancelledCanary() async {
        let requests = DrainerRequests(others: NoCanary())
        let call = Task { await requests.call(service: "order", timeout: .seconds(60)) }
        call.cancel()
        #expect(await call.value == false)
        #expect(await requests.call(service: "payment", timeout: .seconds(60)) == true)
    }

    private struct NoCanary: CanaryCalling {
        func call(service: String, timeout: Duration) async -> Bool { service == "payment" }
    }
}
