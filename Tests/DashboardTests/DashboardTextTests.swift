import Base
import Foundation
import HubProtocol
import Testing

@testable import Dashboard

@Suite("The dashboard's texts")
struct DashboardTextTests {
    @Test("Every text that a template names exists, under one name", arguments: Language.allCases)
    func names(_ language: Language) throws {
        let texts = language.dashboardTexts.byName
        let count =
            DashboardPage.allCases.count + PageText.Frame.allCases.count + PageText.Fleet.allCases.count
            + PageText.Service.allCases.count + PageText.Record.allCases.count + PageText.Sale.allCases.count
            + PageText.Shift.allCases.count
        #expect(texts.count == count)
        let templates = Templates.all.merging(RecordTemplates.all) { $1 }.merging(ShiftTemplates.all) { $1 }
        let wanted = templates.values.flatMap {
            $0.matches(of: /\{\{[#^\/&]?t\.(\w+)\}\}/).map { String($0.1) }
        }
        #expect(wanted.count > 200)
        #expect(Set(wanted).filter { texts[$0] == nil } == [])
    }

    @Test("A refusal is a sentence of the page's language, with nothing of another but what was written")
    func refusals() {
        let chinese = Language.chinese.dashboardTexts
        func problem(_ code: ProblemCode, _ detail: String, _ reason: ProblemReason?) -> Problem {
            Problem(status: 400, code: code, title: "A title", detail: detail, reason: reason)
        }
        let day = problem(.malformedRequest, "\"x\" is no day; write YYYY-MM-DD.", .noDay("x"))
        #expect(Language.english.dashboardTexts.detail(of: day) == day.detail)
        let misspelt = ProblemReason.unknownParameter("awey", meant: "away", known: ["away"])
        let reasons: [ProblemReason] = [
            .noDay("x"), misspelt, .unknownParameter("zz", meant: nil, known: ["day"]), .foreignCursor,
            .noLine,
            .unknown(.terminal, id: "x"), .unknown(.debt, id: "x"), .debtSettled, .refusalResolved,
            .proposalGone, .ownProposal, .overrideEnded, .unknownState, .noReason, .noStoreId,
            .unknownService("ordr", known: ["order"]), .withoutDecisions, .staleForm,
            .unknownValue("mode", known: ["online"]), .noNumber("page"), .repeated("q"),
            .overrideChanged(by: "kim"), .overrideChanged(by: nil), .alarmChanged(by: "kim"),
            .alarmChanged(by: nil),
        ]
        for reason in reasons {
            let sentence = chinese.detail(of: problem(.malformedRequest, "Some English.", reason))
            #expect(!sentence.contains("English") && sentence.hasSuffix("。") || sentence.hasSuffix("？"))
        }
        #expect(chinese.detail(of: problem(.malformedRequest, "", misspelt)).contains("“away”"))
        // Where the hub has its code alone, the technical detail stands behind the sentence.
        let foreign = problem(ProblemCode(rawValue: "invalid_mutation"), "In the payload, x.", nil)
        #expect(chinese.detail(of: foreign) == "记录内容无效。（In the payload, x.）")
        #expect(!chinese.title(of: foreign).contains("title"))
        let logins: [LoginRefusal] = [
            .wrong, .withoutStore, .tooMany(seconds: 9), .password(shortest: 10), .busy,
        ]
        for refusal in logins {
            #expect(!chinese.refusal(refusal).contains(/[a-z]{3} [a-z]/))
        }
    }

    @Test(
        "Every alarm, act and refused right has a text of its own in each language",
        arguments: Language.allCases)
    func words(_ language: Language) {
        let texts = language.dashboardTexts
        let alarms = AlarmKind.allCases.map(texts.alarm)
        let acts = LoggedAction.allCases.map(texts.act)
        for words in [alarms, acts, PageWord.Right.allCases.map(texts.right)] {
            #expect(Set(words).count == words.count)
            let isChinese = words.allSatisfy { $0.unicodeScalars.contains { $0.value > 0x2E7F } }
            #expect(isChinese == (language == .chinese))
        }
    }

    @Test("Chinese signs have the width of Chinese, and what a document says is in words")
    func signs() throws {
        let terminal = Chain.terminal(
            "S1", 1,
            periods: [
                OfflinePeriod(
                    start: Chain.now - 60_000, end: nil,
                    causes: OutageCauses(["network", "manual"], evidence: ["names"]))
            ])
        let fleet = Fleet([terminal], at: Chain.now)
        let frame = PageFrame(
            language: .chinese, person: nil, now: Chain.now, path: "/log", readAt: Chain.now,
            storeAwaySince: 5, fleet: fleet)
        let pages = try DashboardPages()
        let entry = DashboardPages.LogEntry(
            at: 1, name: "kim", role: "manager", action: "export-keys", subject: "", outcome: "done",
            detail: "until 1970-01-01T00:00:05.000Z")
        let order: JSONValue = [
            "orderId": "o", "currency": "CNY", "total": 5, "mode": "online",
            "terminalId": .string(terminal.id),
            "soldAt": "2026-11-23T10:00:00.000Z",
            "payments": [["method": "card", "amount": 5, "state": "captured"]],
        ]
        let html = [
            pages.log(frame, entries: [entry], brokenAt: nil), pages.order(frame, order),
            pages.terminal(frame, fleet: fleet, terminal: terminal),
        ].joined()
        for text in [
            "kim（经理）", "导出密钥", "until 1970-01-01 00:00<", "<dd>在线</dd>", "已入账", ">S1-1</a>",
            "2026-11-23 10:00，",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        for sign in ["</a> (", " (网络", "), "] { #expect(!html.contains(sign), "\(sign)") }
    }

    @Test("A third language is one type: every page renders with it, and has no word of another")
    func third() throws {
        let pages = try DashboardPages()
        let terminal = Chain.terminal(
            "S1", 1, pending: 1, oldest: 7_200_000,
            periods: [OfflinePeriod(start: Chain.now - 60_000, end: nil, causes: ["network"])])
        let fleet = Fleet([terminal], at: Chain.now)
        var frame = PageFrame(
            language: .english, person: nil, now: Chain.now, path: "/", readAt: Chain.now, storeAwaySince: 5)
        frame.texts = KeyTexts()
        let overview = pages.overview(
            frame, fleet: fleet, services: [], sales: SalesSummary(day: "2026-11-23"),
            records: RecordSummary(alarms: 2))
        for text in ["⟨wrongNow⟩", "⟨alarms 2⟩", "<title>⟨overview⟩", "⟨storeAway⟩", "⟨oldest "] {
            #expect(overview.contains(text), "\(text)")
        }
        let html = [
            overview, pages.terminal(frame, fleet: fleet, terminal: terminal),
            pages.log(frame, entries: [], brokenAt: nil),
        ].joined()
        #expect(html.contains("⟨cause network⟩"))
        // Without markup, names and the texts in brackets, numbers and signs are left.
        var (own, depth) = ("", 0)
        for character in html {
            switch character {
            case "<", "⟨": depth += 1
            case ">", "⟩": depth -= 1
            case _: own.append(depth == 0 ? character : " ")
            }
        }
        let words = Set(own.split { !$0.isLetter }.map(String.init).filter { $0.count > 3 })
        #expect(words.subtracting(["Holdfast", "Debian", "till"]) == [])
    }
}

/// A language whose texts are the names of the texts.
private struct KeyTexts: DashboardTexts {
    var languageName: String { "⟨⟩" }

    private func named(_ parts: Any...) -> String { "⟨" + parts.map { "\($0)" }.joined(separator: " ") + "⟩" }

    func group(_ group: DashboardGroup) -> String { named(group) }
    func page(_ page: DashboardPage) -> String { named(page) }
    func frame(_ key: PageText.Frame) -> String { named(key) }
    func fleet(_ key: PageText.Fleet) -> String { named(key) }
    func service(_ key: PageText.Service) -> String { named(key) }
    func record(_ key: PageText.Record) -> String { named(key) }
    func sale(_ key: PageText.Sale) -> String { named(key) }
    func shift(_ key: PageText.Shift) -> String { named(key) }
    func role(_ role: PageWord.Role) -> String { named(role) }
    func source(_ source: PageWord.Source) -> String { named(source) }
    func cause(_ cause: PageWord.Cause) -> String { named("cause", cause) }
    func fault(_ fault: PageWord.NetworkFault) -> String { named("fault", fault) }
    func name(of service: PageWord.Service) -> String { named(service) }
    func alarm(_ alarm: AlarmKind) -> String { named(alarm) }
    func entry(_ entry: PageWord.Entry) -> String { named(entry) }
    func flag(_ flag: PageWord.Flag) -> String { named(flag) }
    func act(_ act: LoggedAction) -> String { named(act) }
    func right(_ right: PageWord.Right) -> String { named("right", right) }
    func name(_ figure: ShiftFigure) -> String { named(figure) }
    func state(_ state: PaymentState) -> String { named(state) }
    func title(of problem: Problem) -> String { named(problem.code.rawValue) }
    func detail(of problem: Problem) -> String { named("detail", problem.code.rawValue) }
    func refusal(_ refusal: LoginRefusal) -> String { named(refusal) }
    func wanted(_ service: String, _ state: String, _ place: String, until end: String?) -> String {
        named(service, state, place, end ?? "")
    }
    func unknownStore(_ id: String) -> String { named("unknown", id) }
    func state(_ state: PageWord.Order) -> String { named(state) }
    func state(_ state: ServiceState) -> String { named(state) }
    func state(_ state: ShiftSettlement.State) -> String { named(state) }
    func state(_ hold: RelayHold?) -> String { hold.map { named($0) } ?? named("taken") }
    func mode(_ mode: FleetMode) -> String { named(mode) }
    func done(_ result: FormResult) -> String { named(result) }
    func unit(_ unit: TimeUnit) -> String { named(unit) }
    func ago(_ span: String) -> String { named("ago", span) }
    func lasting(_ span: String, failing percent: Int64?) -> String { named(span, percent ?? 0) }
    func stillLasts(_ title: String) -> String { named("lasts", title) }
    func failed(percent: Int64) -> String { named("failed", percent) }
    func store(_ id: String) -> String { named("store", id) }
    func terminal(_ id: String) -> String { named("terminal", id) }
    func sales(of day: String) -> String { named("sales", day) }
    func sales(count: String) -> String { named("count", count) }
    func online(_ number: String) -> String { named("online", number) }
    func wholeStores(_ number: String) -> String { named("stores", number) }
    func moreStores(_ number: String) -> String { named("more", number) }
    func refusedAtTerminals(_ number: String) -> String { named("held", number) }
    func oldest(_ span: String) -> String { named("oldest", span) }
    func states(of service: String) -> String { named("states", service) }
    func entries(sold: String, received: String, gap: String) -> String { named(sold, received, gap) }
    func title(of trouble: Trouble.Kind) -> String {
        if case .alarms(let count) = trouble { return named("alarms", count) }
        return named("trouble")
    }
    func scopes(stores: Int, terminals: Int) -> String { named("scopes", stores, terminals) }
    func missing(entries: String) -> String { named("missing", entries) }
    func replaces(_ sentence: String, by name: String, reason: String) -> String {
        named("replaces", sentence, name, reason)
    }
}
