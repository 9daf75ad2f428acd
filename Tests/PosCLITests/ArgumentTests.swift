import Agent
import AgentAPI
import Base
import Foundation
import HubProtocol
import Testing

@testable import PosCLI

@Suite("Command lines of pos")
struct ArgumentTests {
    private static let nobody = AgentPerson()
    private static let anna = AgentPerson(cashierId: "anna", pin: "12")
    private static let refusal = TerminalError(
        .refused, code: "scripted", text: { _ in "the agent of the test refuses it" })

    private static func open(
        _ barcode: String, _ quantity: Int64?, _ price: Int64, _ department: String, _ rate: Int64? = nil
    ) -> EnteredLine {
        var line = EnteredLine(barcode: barcode, quantityMilli: quantity)
        (line.unitPriceMinor, line.department, line.taxBasisPoints) = (price, department, rate)
        return line
    }

    private static var search: OrderSearchCall {
        var call = OrderSearchCall()
        (call.number, call.from, call.to, call.amount) = ("0007", "2026-11-01", "2026-11-22", 650)
        (call.member, call.article, call.limit) = ("M1", "tea", 3)
        return call
    }

    /// Command lines, and the request that each sends.
    private static let calls: [([String], AgentRequest)] = [
        (["status"], StatusCall().request),
        (["history"], HistoryCall().request), (["qos"], ServicesCall().request),
        (["whoami"], SessionCall.show.request), (["sign-out"], SessionCall.signOut.request),
        (["offline", "on", "--reason", "counting"], SetManualCall(isOn: true, reason: "counting").request),
        (
            ["offline", "off", "--cashier", "anna", "--pin", "12"],
            SetManualCall(isOn: false, by: "anna", person: anna).request
        ),
        (["orders"], OrderListCall(limit: 50).request),
        (["orders", "list", "--limit", "1"], OrderListCall(limit: 1).request),
        (["orders", "list", "--limit", "1000000"], OrderListCall(limit: 1_000_000).request),
        (
            [
                "orders", "search", "--number", "0007", "--from", "2026-11-01", "--to", "2026-11-22",
                "--amount", "650", "--member", "M1", "--article", "tea", "--limit", "3",
            ], search.request
        ),
        (["orders", "show", "N-1"], ShowOrderCall(id: "N-1").request),
        (
            ["orders", "void", "N-1", "--reason", "wrong", "--attach", "/tmp/a"],
            VoidOrderCall(
                id: "N-1", reason: "wrong", person: nobody, files: AttachedFiles(paths: ["/tmp/a"])
            ).request
        ),
        (
            ["orders", "refund", "--receipt-code", "HF1.x", "--line", "S1"],
            RefundOrderCall(
                of: .receipt("HF1.x"), lines: [.init(article: "S1", quantityMilli: nil)], reason: nil,
                key: nil, person: nobody, files: AttachedFiles(paths: [])
            ).request
        ),
        (
            ["orders", "refund", "N-1", "--line", "S1:0.5", "--line", "S2", "--key", "K"],
            RefundOrderCall(
                of: .order("N-1"),
                lines: [
                    RefundOrderCall.Line(article: "S1", quantityMilli: 500),
                    RefundOrderCall.Line(article: "S2", quantityMilli: nil),
                ], reason: nil, key: "K", person: nobody, files: AttachedFiles(paths: [])
            ).request
        ),
        (["note"], NoteListCall().request),
        (
            ["note", "add", "milk", "--author", "Li", "--urgent"],
            ChangeNoteCall(
                .add(author: "Li"), text: "milk", person: nobody,
                files: AttachedFiles(paths: [], isUrgent: true)
            ).request
        ),
        (
            ["note", "edit", "N", "tea"],
            ChangeNoteCall(
                .edit(id: "N"), text: "tea", person: nobody,
                files: AttachedFiles(paths: [], isUrgent: false)
            ).request
        ),
        (["note", "delete", "N"], ChangeNoteCall(.delete(id: "N"), person: nobody).request),
        (["sync"], SyncStatusCall().request), (["sync", "now"], SyncNowCall().request),
        (["sync", "rejected"], RefusalListCall().request),
        (["sync", "retry", "M"], ResolveRefusalCall(id: "M", .retry).request),
        (
            ["sync", "edit", "M", "--set", "a.0=1", "--set", "b=x=y", "--unset", "c"],
            ResolveRefusalCall(
                id: "M", .edit(PayloadChanges(payload: nil, set: ["a.0": 1, "b": "x=y"], unset: ["c"]))
            ).request
        ),
        (
            ["sync", "discard", "M", "--reason", "twice", "--by", "Li"],
            ResolveRefusalCall(id: "M", .discard(reason: "twice", by: "Li")).request
        ),
        (
            ["sync", "resolve", "M", "--keep", "mine", "--cashier", "anna", "--pin", "12"],
            ResolveRefusalCall(id: "M", .resolve(keep: .mine, by: nil), by: anna).request
        ),
        (
            ["sync", "resolve", "M", "--keep", "server"],
            ResolveRefusalCall(id: "M", .resolve(keep: .server, by: nil)).request
        ),
        (["repair", "--seen"], AcknowledgeLossesCall().request),
        (["products", "departments"], DepartmentListCall().request),
        (
            ["orders", "refund", "--without-receipt", "--line", "S1:2@450"],
            RefundOrderCall(
                of: .nothing, lines: [.init(article: "S1", quantityMilli: 2000, unitPriceMinor: 450)],
                reason: nil, key: nil, person: nobody, files: AttachedFiles(paths: [])
            ).request
        ),
        (
            [
                "sell", "--line", "99:2@500#food", "--line", "@5#Fruit/Veg/7.5", "--line", "a#b", "--line",
                "@9#c/d",
            ],
            SellCall(
                lines: [
                    open("99", 2000, 500, "food"), open("", nil, 5, "Fruit/Veg", 750),
                    EnteredLine(barcode: "a#b"), open("", nil, 9, "c/d"),
                ], payments: []
            ).request
        ),
        (["sell", "--line", "1"], SellCall(lines: [EnteredLine(barcode: "1")], payments: []).request),
        (
            [
                "sell", "--line", "a:b", "--line", "2:1.25", "--pay", "cash:2000", "--pay", "card",
                "--member", "7", "--coupon", "C", "--key", "K", "--clock-confirmed", "--cashier", "anna",
                "--pin", "12",
            ],
            SellCall(
                key: "K",
                lines: [
                    EnteredLine(barcode: "a:b"), EnteredLine(barcode: "2", quantityMilli: 1250),
                ],
                payments: [
                    SellCall.Tender(method: "cash", amountMinor: 2000), SellCall.Tender(method: "card"),
                ], memberId: "7", coupons: ["C"], person: anna, isClockConfirmed: true
            ).request
        ),
    ]

    @Test("Each becomes one request, the same with --json", arguments: calls)
    func requests(arguments: [String], request: AgentRequest) async {
        for json in [[], ["--json"]] {
            let end = await pos(arguments + json, refused: Self.refusal)
            #expect(end.requests == [request], "\(end.errors)")
            #expect(end.exitCode == 1)
        }
    }

    @Test("The doctor finds for a person in their language, and for a program in one")
    func doctorsReader() async {
        let reader = Language(environment: ProcessInfo.processInfo.environment)
        for (arguments, call) in [
            (["doctor"], DoctorCall(reader: reader)), (["doctor", "--json"], DoctorCall()),
        ] {
            #expect(await pos(arguments, refused: Self.refusal).requests == [call.request])
        }
        let drills = [(["--drill"], DrillCall(reader: reader)), (["--drill", "--json"], DrillCall())]
        for (arguments, call) in drills {
            #expect(await pos(["doctor"] + arguments, refused: Self.refusal).requests == [call.request])
        }
    }

    @Test(
        "What is wrong is refused with 2 and one line, before the agent gets anything",
        arguments: [
            (["nothing"], "nothing"), (["status", "--bogus"], "--bogus"), (["orders", "show"], "<id>"),
            (["sell", "--pay", "cash"], "--pay needs --line or --cart"),
            (["sell", "--json"], "--json needs --line, --cart or --stdin"),
            (["sell", "--stdin"], "--stdin needs --json"),
            (["sell", "--stdin", "--line", "1", "--json"], "--stdin excludes --line and --cart"),
            (
                ["sell", "--stdin", "--json", "--cashier", "a", "--pin-stdin"],
                "--stdin takes PINs in its lines"
            ),
            (["sell", "--cart", "C", "--line", "1"], "--cart has its own lines, member, coupons and key"),
            (["sell", "--quoted-total", "1"], "--quoted-total needs --line or --cart"),
            (["sell", "--line", "1", "--points", "five"], "'--points <points>'"),
            (["sell", "--line", ""], "the line \"\" has no barcode"),
            (["sell", "--line", ":2"], "the line \":2\" has no barcode"),
            (["sell", "--line", "1", "--pay", ":5"], "a payment needs a method, as cash or card"),
            (["sell", "--line", "1", "--pay", "cash:1.5"], "must be a whole number of minor units"),
            (["sell", "--line", "1", "--pay", "card:450:4111111111111111"], "what looks like a card number"),
            (["orders", "list", "--limit", "0"], "--limit takes 1 … 1000000, not 0"),
            (["orders", "list", "--limit", "1000001"], "--limit takes 1 … 1000000, not 1000001"),
            (["offline", "perhaps"], "perhaps"),
            (["whoami", "--pin", "1"], "--pin"),
            (["note", "add", "x", "--pin-stdin"], "--pin-stdin needs --cashier"),
            (
                ["note", "add", "x", "--cashier", "a", "--pin", "1", "--pin-stdin"],
                "--pin excludes --pin-stdin"
            ),
            (["note", "add", "x", "--approver-pin-stdin"], "--approver-pin-stdin needs --approver"),
            (["sync", "edit", "M", "--set", "a"], "--set takes PATH=VALUE, not a"),
            (["sync", "edit", "M", "--payload", "/nonexistent"], "/nonexistent"),
            (["sync", "discard", "M"], "--reason"), (["sync", "resolve", "M"], "--keep"),
            (["sync", "resolve", "M", "--keep", "both"], "both"),
            (["sync", "export", "/tmp/x", "--plain"], "--plain and --reason TEXT belong together"),
            (["init", "--hub", "https://hub"], "give the enrolment code"),
            (["init", "--hub", "https://hub", "--enrol", "C", "--enrol-stdin"], "give the enrolment code"),
            (["agent", "--log-level", "loud"], "--log-level is one of trace, debug"),
        ])
    func refused(arguments: [String], text: String) async {
        let end = await pos(arguments, refused: Self.refusal)
        #expect(end.exitCode == 2)
        // For programs the failure is a document, too.
        #expect(end.requests.isEmpty && end.output.count == (arguments.contains("--json") ? 1 : 0))
        #expect(end.errors.count == 1)
        #expect(end.errors.first?.hasPrefix("pos: ") == true && end.errors.first?.contains(text) == true)
    }

    @Test(
        "Every kind of the agent's error has its exit code, its line, and with --json its document",
        arguments: TerminalError.Kind.allCases)
    func failures(kind: TerminalError.Kind) async throws {
        let error = TerminalError(
            kind, code: "scripted", details: AgentFailure.Details(waitMilliseconds: 5),
            text: { $0 == .english ? "why it failed" : "失败" })
        let plain = await pos(["orders"], refused: error)
        #expect(plain.exitCode == kind.rawValue)
        #expect(plain.output.isEmpty && plain.errors == ["pos: why it failed"])
        let json = await pos(["orders", "--json"], refused: error)
        #expect(json.exitCode == kind.rawValue && json.errors == plain.errors)
        #expect(
            json.output == [
                #"{"error":{"code":"scripted","message":"why it failed","messageZh":"失败","waitMs":5}}"#
            ])
    }

    @Test(
        "A mistyped command or option names the one that was meant",
        arguments: [
            (["sel"], "did you mean `pos sell`?"), (["orders", "lst"], "did you mean `pos orders list`?"),
            (["sell", "--lines", "X", "--json"], "Did you mean '--line'"),
        ])
    func mistyped(arguments: [String], text: String) async {
        let end = await pos(arguments, refused: Self.refusal)
        #expect(end.exitCode == 2 && end.errors.first?.contains(text) == true, "\(end.errors)")
    }

    @Test(
        "What cannot be read of a command line is named in Chinese too, of the parser's own faults each",
        arguments: [
            (["stauts"], "没有命令 `pos stauts`，是不是要用 `pos status`？"), (["member", "zzzzz"], "可用的有：add"),
            (["status", "--jsno"], "没有选项 --jsno，是不是要用 --json？"), (["status", "--zzzzzzzz"], "没有选项"),
            (["orders", "list", "--limit"], "--limit <limit> 后面要写一个值"),
            (["orders", "show"], "缺少参数 <id>"), (["status", "x"], "多余的参数：x"),
            (["status", "x", "y"], "多余的参数：x、y"), (["status", "--json=1"], "后面不写值"),
            (["orders", "list", "--limit", "a"], "“a”不能用于 --limit <limit>"),
            (["orders", "list", "--limit", "0"], "--limit 应写作 1 … 1000000，不能写 0"),
            (["sell", "--line", "CODE:1,2345"], "无法读出“CODE:1,2345”的数量"),
            (["sell", "--line", "C", "--pay", ":5"], "付款要写明方式"),
            (["sell", "--json"], "--json 需要同时写 --line 或 --cart 或 --stdin"),
            (["offline", "x"], "可用的有：on、off"),
            (["sell", "--line", "C", "--pay", "cash:1.29"], "整数"), (["quote"], "--line BARCODE[:QTY]"),
        ])
    func chinese(arguments: [String], text: String) async throws {
        let end = await pos(arguments, refused: Self.refusal, in: .chinese)
        #expect(end.exitCode == 2 && end.requests.isEmpty)
        let line = try #require(end.errors.first)
        #expect(line.hasPrefix("pos: 用法不对：") && line.contains(text), "\(line)")
        // The document has both, whatever the reader's language is.
        let json = await pos(arguments.filter { $0 != "--json" } + ["--json"], refused: Self.refusal)
        let error = try JSONParser.parse(Array(try #require(json.output.first).utf8))["error"]
        #expect(error?["messageZh"]?.string?.contains(text) == true)
        #expect(error?["message"]?.string?.contains { !$0.isASCII && !"…“”".contains($0) } == false)
    }

    @Test("Wrong usage is a document too, and a response of another version is named as that")
    func documents() async throws {
        let wrong = await pos(["status", "--bogus", "--json"], refused: Self.refusal)
        let document = try JSONParser.parse(Array(try #require(wrong.output.first).utf8))
        #expect(wrong.exitCode == 2 && document["error"]?["code"] == "wrong_usage")
        let odd = await pos(["history"], ScriptedAgent(AgentResponse(["other": 1])))
        #expect(odd.exitCode == 3 && odd.errors.first?.contains("restart the agent") == true)
    }

    @Test(
        "What cannot be read of a line or a payment is named, and not taken for a barcode",
        arguments: [
            ("CODE:1.0001", "the quantity of \"CODE:1.0001\" cannot be read"), ("CODE:--1", "the quantity"),
        ])
    func malformedLines(line: String, message: String) {
        #expect { try SaleArguments.line(line) } throws: { "\($0)".contains(message) }
    }

    @Test("A comma is a decimal point, a word behind a colon belongs to the barcode, too much is too large")
    func readableLines() throws {
        #expect(try SaleArguments.line("CODE:1,5") == EnteredLine(barcode: "CODE", quantityMilli: 1500))
        #expect(try SaleArguments.line("A:B").barcode == "A:B")
        #expect { try SaleArguments.payment("cash:99999999999999999999") } throws: {
            "\($0)".contains("is too large")
        }
        var basket = Basket(person: Self.nobody)
        basket.quote = QuoteResponse(
            lines: [], total: MoneyAmount(1250, "EUR"), tax: MoneyAmount(0, "EUR"),
            cashRounding: MoneyAmount(0, "EUR"), member: nil)
        #expect(basket.amount("12,50") == 1250 && basket.amount("12.5") == 1250)
        #expect(basket.payment("cash:20,00")?.amountMinor == 2000)
        #expect(basket.discount("1,50", ofLineAt: 0) == 150)
    }

    @Test(
        "A quantity has at most three decimals, and fits in thousandths",
        arguments: [
            ("1", 1000), ("0.001", 1), ("-2.5", -2500), ("1.0001", nil), ("", nil), (".5", nil), ("1.", nil),
            ("9223372036854775.807", .max), ("9223372036854775.808", nil), ("1e3", nil), ("１", 1000),
            ("1,5", 1500), ("1,5,0", nil), ("0，357", 357),
        ] as [(String, Int64?)])
    func quantities(text: String, milli: Int64?) {
        #expect(SaleArguments.milli(text) == milli)
    }
}
