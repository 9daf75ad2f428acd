import Base
import Agent
import AgentAPI
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
import Testing

@testable import PosCLI

@Suite("What the commands print")
struct OutputTextTests {
    @Test("The banner of the line checkout has the colour of its level, and none where none may be used")
    func colour() {
        #expect(Output.coloured("ONLINE", .calm) == "\u{1B}[32mONLINE\u{1B}[0m")
        #expect(Output.coloured("OFFLINE", .alert) == "\u{1B}[30;43mOFFLINE\u{1B}[0m")
        #expect(Output.coloured("STOPPED", .stopped) == "\u{1B}[37;41mSTOPPED\u{1B}[0m")
        #expect(Output.coloured("ONLINE", nil) == "ONLINE")
    }

    @Test("The history names each period, and nothing where there was none")
    func history() async {
        let periods = [
            HistoryCall.Period(
                start: "2026-11-21T04:00:00.000Z", end: nil, causes: ["network", "manual"],
                evidence: ["ping", "manual:x"], sales: 1),
            HistoryCall.Period(start: "a", end: "b", causes: ["service"], evidence: [], sales: 2),
        ]
        let end = await pos(["history"], HistoryCall.Response(periods: periods))
        #expect(
            end.output == [
                "2026-11-21T04:00:00.000Z … still  network+manual  1 sale  [ping, manual:x]",
                "a … b  service  2 sales  []",
            ])
        #expect(end.exitCode == 0 && end.errors.isEmpty)
        let none = await pos(["history"], HistoryCall.Response(periods: []))
        #expect(none.output == ["never offline so far"])
    }

    @Test(
        "At a till that speaks Chinese the commands do too, as far as the agent is heard; the document stays",
        arguments: [
            (["orders", "list"], #"{"orders":[],"sums":[]}"#, "暂无订单"),
            (["history"], #"{"periods":[]}"#, "从未离线"), (["cart", "list"], #"{"carts":[]}"#, "没有挂单"),
            (["cart", "current"], #"{"carts":[],"revision":0}"#, "没有购物车"),
            (["note", "list"], #"{"notes":[],"tombstones":[]}"#, "没有便条"),
            (["shift", "list"], #"{"shifts":[]}"#, "暂无班次"),
            (["orders", "owed"], #"{"returns":[]}"#, "没有待退回银行卡的款项"),
            (["products", "search", "x"], #"{"products":[]}"#, "没有找到商品"),
            (["printer", "retry"], #"{"jobs":[]}"#, "没有等待打印的单据。"),
            (["whoami"], #"{"cashierId":null}"#, "无人登录"),
        ])
    func chinese(_ arguments: [String], _ document: String, _ line: String) async throws {
        var response = AgentResponse(try JSONParser.parse([UInt8](document.utf8)))
        response.language = "zh"
        let end = await pos(arguments, ScriptedAgent(response))
        #expect(end.output == [line], "\(end)")
        response.language = "en"
        let english = await pos(arguments, ScriptedAgent(response))
        #expect(english.output.first?.utf8.allSatisfy { $0 < 0x80 } == true, "\(english)")
        response.language = "zh"
        let json = await pos(arguments + ["--json"], ScriptedAgent(response))
        #expect(json.output == [response.body.canonicalText])
    }

    @Test("Every state, way, reason, service and action has a word in Chinese; one of a later version stays")
    func words() {
        let modes: [any RawRepresentable<String>] =
            [NetworkStatus.State.reachable, .suspect, .unreachable, .recovering]
            + [ServiceStatus.State.healthy, .suspect, .faulty, .recovering]
            + [ServiceStatus.Source.qos, .local, .operator] + [Mode.online, .offline]
        let connection: [any RawRepresentable<String>] =
            [ConnectivitySnapshot.State.offline, .localNetworkOnly, .authBlocked, .backendDown]
            + [ConnectivitySnapshot.State.onlineDegraded, .online]
            + [ConnectivitySnapshot.Reason.noInterface, .captivePortal, .dnsFail, .timeout, .connectFail]
            + [ConnectivitySnapshot.Reason.tlsError, .http5xx, .http401, .rateLimit, .manual]
            + [Transport.ethernet, .wifi, .cellular, .unknown]
        let listed: [any RawRepresentable<String>] =
            OfflineCause.allCases + SyncObstacle.allCases + HubService.allCases + TillModule.allCases
            + ShiftSettlement.State.allCases + DeviceRequest.Purpose.allCases
            + [SyncState.pending, .acknowledged, .rejected, .conflicted, .superseded, .discarded]
            + [PrinterCall.Response.State.none, .untried, .ready, .paperLow, .paperOut, .noResponse]
            + [CardMachineCall.State.none, .ready, .busy, .unreachable, .refused, .undecided]
        let others = [
            "completed", "voided", "sending", "waiting", "held", "queued", "hub", "machine", "stored",
            "local",
            "cash", "card", "open", "paying", "approved", "declined", "charged", "sent", "requested",
            "refundRequested", "voidRequested",
        ]
        let words = (modes + connection + listed).map { $0.rawValue } + CoreAPIs.standard.allServices + others
        let texts = Language.chinese.posTexts
        let missing = words.filter { !texts.word($0).contains(where: { !$0.isASCII }) }
        #expect(missing == [])
        #expect(texts.word("later") == "later" && Language.english.posTexts.word("faulty") == "faulty")
    }

    @Test("A refusal is said in the language of the till, and its document is the same in both")
    func chineseRefusal() async {
        let error = TerminalError(
            .refused, code: "unknown_order", text: { $0 == .chinese ? "没有此单" : "no such order" })
        var response = AgentResponse(error)
        for (language, line) in [("zh", "pos: 没有此单"), ("en", "pos: no such order")] {
            response.language = language
            let end = await pos(["orders", "show", "x", "--json"], ScriptedAgent(response))
            #expect(end.errors == [line] && end.exitCode == 1)
            #expect(end.output.first?.contains("no such order") == true)
        }
    }

    @Test("With --json the response goes out as it came, what this version does not know too")
    func documents() async {
        let response = AgentResponse(["periods": [], "newer": "member"])
        let end = await pos(["history", "--json"], ScriptedAgent(response))
        #expect(end.output == [#"{"newer":"member","periods":[]}"#])
    }

    @Test("The doctor ends with 1 when something is not ready")
    func doctor() async {
        let good = DoctorCall.Check(name: "disk", isOk: true, detail: "9 GB")
        let bad = DoctorCall.Check(name: "clock", isOk: false, detail: "2 days off")
        let ready = await pos(["doctor"], DoctorCall.Response(checks: [good]))
        #expect(
            ready.exitCode == 0
                && ready.output == ["ok    disk: 9 GB", "score 100 of 100: ready for an outage"])
        let end = await pos(["doctor"], DoctorCall.Response(checks: [good, bad]))
        let warning = DoctorCall.Check(
            name: "key", isOk: true, isWarning: true, detail: "none", fix: "set one")
        let warned = await pos(["doctor"], DoctorCall.Response(checks: [good, warning]))
        #expect(warned.exitCode == 0)
        #expect(
            warned.output == [
                "ok    disk: 9 GB", "warn  key: none", "      -> set one",
                "score 100 of 100: ready for an outage",
            ])
        #expect(end.exitCode == 1 && end.errors.isEmpty)
        #expect(
            end.output == [
                "ok    disk: 9 GB", "FAIL  clock: 2 days off", "score 50 of 100: 1 of 2 checks need somebody",
            ])
    }

    @Test("Notes show their author and what the hub does not have yet; nothing in them acts on the screen")
    func notes() async {
        let notes = [
            NoteRecord(
                id: "N1", value: ["text": "milk\u{1B}[2J", "author": "Li"], version: 1, state: "synced",
                deletedAt: nil),
            NoteRecord(id: "N2", value: ["text": "tea"], version: nil, state: "pending", deletedAt: nil),
        ]
        let end = await pos(["note", "list"], NoteListCall.Response(notes: notes, tombstones: []))
        #expect(end.output.count == 2)
        #expect(
            end.output.first?.hasPrefix("N1  milk") == true && end.output.first?.hasSuffix(" (Li)") == true)
        #expect(end.output.joined().unicodeScalars.contains("\u{1B}") == false)
        #expect(end.output.last == "N2  tea  [pending]")
        let none = await pos(["note"], NoteListCall.Response(notes: [], tombstones: []))
        #expect(none.output == ["no notes"])
    }

    @Test("Refusals show the reason, what is held back, and the money that waits, by the currency's digits")
    func refusals() async throws {
        let json = try JSONParser.parse(
            Array(
                """
                {"items":[{"id":"M1","sequence":1,"type":"order.completed","entityId":"O","state":"rejected",\
                "madeAt":"x","orderNumber":"T-1","problem":{"detail":"no stock"},"policy":null,\
                "serverState":null,"payload":{}}],"heldBack":[{"id":"M2","sequence":2,\
                "type":"order.completed","madeAt":"x","orderNumber":"T-2","payload":null}],"sales":1,\
                "amounts":[{"amount":1250,"currency":"JPY"},{"amount":1250,"currency":"KWD"}]}
                """.utf8))
        let end = await pos(["sync", "rejected"], try RefusalListCall.Response(json: json))
        #expect(
            end.output == [
                "M2  order.completed  held back  T-2",
                "    its content is not what was written; `pos sync retry` sends it as it is, and the hub flags it",
                "M1  order.completed  rejected  T-1", "    no stock",
                "1 sale waits in it: 1250 JPY, 1.250 KWD",
            ])
        let none = RefusalListCall.Response(items: [], heldBack: [], sales: 0, amounts: [])
        #expect(await pos(["sync", "rejected"], none).output == ["nothing was refused"])
    }

    @Test("A decision names under which id the refused mutation goes on")
    func decisions() async {
        let again = await pos(
            ["sync", "retry", "M1"], ResolveRefusalCall.Response(id: "M2", .supersedes, "M1"))
        #expect(again.output == ["M1 goes again as M2"])
        let given = await pos(
            ["sync", "discard", "M1", "--reason", "r"], ResolveRefusalCall.Response(id: "M2", .discards, "M1")
        )
        #expect(given.output == ["M1 is given up; M2 reports it to the hub"])
    }

    @Test("A sync that leaves something, or whose pull failed, ends with 75 and the remedy")
    func syncNow() async throws {
        func response(pending: Int, pullFailed: Bool) throws -> SyncNowCall.Response {
            try SyncNowCall.Response(
                json: JSONParser.parse(
                    Array(
                        """
                        {"pending":\(pending),"oldestAgeMs":null,"rejected":0,"conflicted":0,\
                        "acknowledgedThrough":7,"retryAfterEndsAt":null,"items":[],"attachments":[],\
                        "drain":null,"schema":{"state":"welcome","sunsetAt":null,"deprecatedAt":null},\
                        "catalogue":{"lastPullAt":null,"ageMs":null,"problem":null,"skipped":[],\
                        "failed":\(pullFailed)},"sent":4,"stoppedBy":"the hub is busy","retryHelps":true}
                        """.utf8)))
        }
        let left = await pos(["sync", "now"], try response(pending: 2, pullFailed: false))
        #expect(left.exitCode == 75)
        #expect(
            left.errors == [
                "pos: the hub is busy; what is left is kept and sent by itself, `pos sync now` tries again"
            ])
        let unpulled = await pos(["sync", "now"], try response(pending: 0, pullFailed: true))
        #expect(unpulled.exitCode == 75)
        #expect(unpulled.errors == ["pos: the last good pull of the catalogue is still to come"])
        let done = await pos(["sync", "now"], try response(pending: 0, pullFailed: false))
        #expect(done.exitCode == 0 && done.errors.isEmpty)
        #expect(done.output.first == "0 pending, 0 rejected, 0 in conflict, hub has all through 7")
    }

    @Test("The manual switch names the command that ends it")
    func offline() async throws {
        let on = try ManualState(
            json: ["on": true, "since": "2026-11-21T04:00:00.000Z", "by": .null, "reason": .null])
        let end = await pos(["offline", "on"], on)
        #expect(
            end.output == ["offline by hand since 2026-11-21T04:00:00.000Z; `pos offline off` ends it"])
    }

    @Test("Who is signed in, and until when")
    func session() async {
        let anna = SessionResponse.Cashier(
            id: "7", name: "Anna", role: "manager", signedInAt: "a", expiresAt: "b")
        #expect(
            await pos(["whoami"], SessionResponse(anna)).output == ["Anna (7, manager) is signed in until b"])
        #expect(await pos(["whoami"], SessionResponse(nil)).output == ["nobody is signed in"])
    }

    @Test("What works without an agent has its texts in both languages, and its errors the message of each")
    func withoutAgent() throws {
        let report = try RepairReport(
            json: [
                "at": "a", "entries": 5, "pending": 2, "refused": 1, "lostCount": 1, "lostPending": 0,
                "isEndKnown": true,
                "identity": "kept",
                "lost": [
                    [
                        "sequence": 3, "id": "i", "orderNumber": "S1-1", "state": "acknowledged",
                        "reason": "changed",
                    ]
                ],
            ])
        let result = RepairResult.repaired(report, epoch: 2, quarantine: ["/q"])
        #expect(
            RepairCommand.text(result, Language.english.posTexts) == """
                5 entries were brought over, 2 of them wait to be sent, 1 were refused by the hub
                kept      /q
                lost      3  S1-1: changed, the hub has it
                The journal goes on under epoch 2; start the agent.
                """)
        #expect(
            RepairCommand.text(result, Language.chinese.posTexts) == """
                已恢复 5 条记录，其中 2 条待上传，1 条被总部拒绝
                已保留    /q
                已丢失    3  S1-1：changed，总部已有
                流水以纪元 2 继续；请启动收银服务。
                """)
        let error = TerminalError(.tryAgain, code: "agent_gone") { $0.agentEnded }
        #expect(error.message == "the agent ended; start it with `pos agent`")
        #expect(error.failure.text(in: .chinese) == "收银服务已停止；请用 `pos agent` 启动")
    }
}
