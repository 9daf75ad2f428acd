package import Base
internal import HubProtocol
internal import Mustache
internal import Pricing

/// The operators' pages as HTML. It gets values and reads nothing: no store, no clock, no network.
package struct DashboardPages: Sendable {
    private let library: MustacheLibrary

    /// Parses the templates.
    ///
    /// - Throws: for a template that is none, which a test finds.
    package init() throws {
        let templates = Templates.all.merging(RecordTemplates.all) { page, _ in page }
            .merging(ShiftTemplates.all) { page, _ in page }
        library = MustacheLibrary(templates: try templates.mapValues { try MustacheTemplate(string: $0) })
    }

    func rendered(_ template: String, _ frame: PageFrame, title: String, _ values: PageValues) -> String {
        let all = frame.values(title: title).merging(values) { _, own in own }
        return library.render(Self.printable(all), withTemplate: template) ?? ""
    }

    /// Every text that a page gets, without what a screen would act on: what peers wrote is in them.
    private static func printable(_ value: Any) -> Any {
        switch value {
        case let text as String: text.printableLines
        case let values as PageValues: values.mapValues(printable)
        case let rows as [Any]: rows.map(printable)
        case _: value
        }
    }

    /// Where people sign in.
    ///
    /// - Parameter refusal: why the last attempt was refused; nil at first.
    package func login(_ language: Language, refusal: String?) -> String {
        var values: PageValues = [
            "language": language.rawValue, "otherLanguage": language.other.language.rawValue,
            "otherName": language.other.name, "t": Texts.all(language),
        ]
        if let refusal { values["refusal"] = refusal }
        return library.render(values, withTemplate: "login") ?? ""
    }

    /// What is wrong now, the figures at a glance, and the services.
    ///
    package func overview(
        _ frame: PageFrame, fleet: Fleet, services: [ServiceSummary], sales: SalesSummary,
        records: RecordSummary
    ) -> String {
        let wording = frame.wording
        let troubles = Trouble.found(
            fleet: fleet, services: services, storeAwaySince: frame.storeAwaySince, records: records)
        return rendered(
            "overview", frame, title: wording.text("Overview", "总览"),
            [
                "troubles": troubles.map { TroubleText(trouble: $0, wording: wording).values },
                "tiles": Self.tiles(fleet, wording) + Self.tiles(sales, wording),
                "services": services.map { service -> PageValues in
                    [
                        "key": service.name, "name": wording.service(service.name),
                        "state": service.worst.rawValue, "word": wording.state(service.worst),
                        "note": Self.note(of: service, wording),
                    ]
                },
            ])
    }

    private static func note(of service: ServiceSummary, _ wording: Wording) -> String {
        let since = wording.text("for ", "已 ") + wording.span(max(0, wording.now - service.since))
        guard let percent = service.failedPercent else { return since }
        return since + wording.text(", \(percent) % fail", "，失败率 \(percent)%")
    }

    private static func tiles(_ sales: SalesSummary, _ wording: Wording) -> [PageValues] {
        sales.total.prefix(2).map { row in
            [
                "name": wording.text("Sales of ", "销售 ") + sales.day,
                "value": AmountText.money(row.net, row.currency),
                "note": wording.text(
                    "\(wording.number(row.orders)) sales", "\(wording.number(row.orders)) 笔"),
                "link": "/sales",
            ]
        }
    }

    private static func tiles(_ fleet: Fleet, _ wording: Wording) -> [PageValues] {
        let away = fleet.count(.offline) + fleet.count(.silent)
        let pending = fleet.stores.reduce(0) { $0 + $1.pending }
        let refused = fleet.stores.reduce(0) { $0 + $1.refused }
        let oldest = fleet.stores.compactMap(\.oldestAge).max()
        func tile(_ name: String, _ value: String, _ note: String, _ link: String) -> PageValues {
            ["name": name, "value": value, "note": note, "link": link]
        }
        return [
            tile(
                wording.text("Terminals", "终端"), wording.number(fleet.active),
                wording.text(
                    "\(wording.number(fleet.count(.online))) online",
                    "\(wording.number(fleet.count(.online))) 在线"),
                "/terminals"),
            tile(
                wording.text("Offline or silent", "离线或无消息"), wording.number(away),
                wording.text(
                    "\(wording.number(fleet.stores.count(where: \.isAway))) whole stores",
                    "\(wording.number(fleet.stores.count(where: \.isAway))) 家门店全部失联"), "/terminals?sort=mode"),
            tile(
                wording.text("Waiting to be sent", "待同步"), wording.number(pending),
                oldest.map { wording.text("oldest \(wording.span($0))", "最早 \(wording.span($0))") } ?? "–",
                "/terminals?sort=outbox"),
            tile(
                wording.text("Refused at terminals", "被拒"), wording.number(refused),
                wording.text("wait for a person", "等待处理"), "/refused"),
        ]
    }
}

/// A trouble as text, with the page that shows more.
struct TroubleText {
    let trouble: Trouble
    let wording: Wording

    var values: PageValues {
        let (title, detail, link) = parts
        var values: PageValues = ["title": title, "link": link]
        switch trouble.level {
        case .bad: (values["level"], values["mark"]) = ("bad", "✕")
        case .warning: (values["level"], values["mark"]) = ("warning", "!")
        case .note: (values["level"], values["mark"]) = ("note", "i")
        }
        if !detail.isEmpty { values["detail"] = detail }
        return values
    }

    private var parts: (title: String, detail: String, link: String) {
        switch trouble.kind {
        case .storeAway(let since):
            (
                wording.text("The hub's database does not respond", "中心数据库没有响应"), wording.ago(since), "/"
            )
        case .service(let name, let state, let since, let reason):
            (
                wording.text(
                    "\(wording.service(name)) is \(wording.state(state))",
                    "\(wording.service(name))\(wording.state(state))"),
                "\(wording.ago(since)) · \(reason)", "/services#\(name)"
            )
        case .scopes(let service, let stores, let terminals):
            (
                wording.text("\(wording.service(service)) fails for some", "\(wording.service(service))部分故障"),
                wording.text(
                    "stores: \(stores), terminals: \(terminals)", "门店 \(stores) 家，终端 \(terminals) 台"),
                "/services#\(service)"
            )
        case .proposal(let proposal):
            (
                wording.text(
                    "An override of \(wording.service(proposal.service)) waits for a second operator",
                    "\(wording.service(proposal.service))的人工干预等待第二位操作员确认"),
                "\(proposal.by): \(proposal.reason)", "/overrides"
            )
        case .overrides(let count):
            (wording.text("Overrides in force: \(count)", "生效中的人工干预：\(count) 项"), "", "/overrides")
        case .storesAway(let stores):
            (
                wording.text("Whole stores offline or silent: \(stores.count)", "\(stores.count) 家门店离线或无消息"),
                stores.prefix(12).joined(separator: ", ") + (stores.count > 12 ? " …" : ""), "/stores?away=1"
            )
        case .terminalsAway(let count):
            (
                wording.text(
                    "Terminals of other stores offline or silent: \(count)", "其他门店 \(count) 台终端离线或无消息"),
                "", "/terminals?sort=mode"
            )
        case .oldOutbox(let terminals, let oldest):
            (
                wording.text(
                    "Terminals whose sales wait for over an hour: \(terminals)", "\(terminals) 台终端的待同步超过一小时"),
                wording.text("oldest \(wording.span(oldest))", "最早 \(wording.span(oldest))"),
                "/terminals?sort=outbox"
            )
        case .refused(let mutations, let terminals):
            (
                wording.text(
                    "Refused mutations: \(mutations), terminals: \(terminals)",
                    "\(terminals) 台终端有 \(mutations) 条被拒"),
                "", "/refused"
            )
        case .refusedHere(let count):
            (wording.text("Refused mutations to resolve: \(count)", "\(count) 条被拒记录待处理"), "", "/refused")
        case .gaps(let terminals, let entries):
            (
                wording.text(
                    "Journals with missing entries: \(terminals)", "\(terminals) 台终端的流水有缺失"),
                wording.text(
                    "\(wording.number(entries)) entries did not arrive between others that did",
                    "其间有 \(wording.number(entries)) 条未到达"), "/terminals?sort=outbox"
            )
        case .unconfirmed(let count):
            (
                wording.text("Terminals that wait for a confirmation: \(count)", "\(count) 台终端等待确认"),
                "pos-hub terminals confirm", "/terminals"
            )
        case .alarms(let count):
            (wording.text("Open alarms: \(count)", "\(count) 条未处理告警"), "", "/alarms")
        case .disputedShifts(let count):
            (
                wording.text("Disputed shifts: \(count)", "\(count) 个班次有争议"), "", "/shifts?state=disputed"
            )
        case .debts(let count):
            (
                wording.text("Cards taken offline and refused: \(count)", "\(count) 笔离线刷卡事后被拒"),
                wording.text("goods are gone and no money came", "商品已售出，款项未到账"), "/debts"
            )
        }
    }
}
