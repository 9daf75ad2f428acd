package import Base
internal import HubProtocol
internal import Mustache

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
        if let table = frame.table, let columns = PageTables.columns[template]?[table] {
            let rows = Self.printable(values[table] ?? []) as? [PageValues] ?? []
            return PageTables.text(of: rows, columns, frame.texts.byName)
        }
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
    package func login(_ language: Language, refusal: LoginRefusal?) -> String {
        let texts = language.dashboardTexts
        var values = PageFrame.values(language, texts)
        if let refusal { values["refusal"] = texts.refusal(refusal) }
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
        let away = fleet.worstFirst(fleet.stores.filter(\.isMostlyAway))
        var values: PageValues = [
            "hasAway": !away.isEmpty,
            "awayStores": away.prefix(frame.table == nil ? Self.mostAway : away.count).map {
                Self.row(of: $0, fleet, wording)
            },
            "troubles": troubles.map { TroubleText(trouble: $0, wording: wording).values },
            "tiles": Self.tiles(fleet, records, wording) + Self.tiles(sales, wording),
            "services": services.map { service -> PageValues in
                [
                    "key": service.name, "name": wording.texts.name(ofService: service.name),
                    "state": service.worst.rawValue, "word": wording.texts.state(service.worst),
                    "note": wording.texts.lasting(
                        wording.age(since: service.since), failing: service.failedPercent),
                ]
            },
        ]
        if away.count > Self.mostAway {
            values["moreAway"] = wording.texts.moreStores(wording.number(away.count - Self.mostAway))
        }
        return rendered("overview", frame, title: wording.texts.page(.overview), values)
    }

    /// Stores that the overview names: twice as many push its figures two screens down, half of them are
    /// fewer than one provider's outage takes away.
    private static let mostAway = 20

    static func tiles(
        _ sales: SalesSummary, _ wording: Wording, link: String = "/sales"
    ) -> [PageValues] {
        sales.total.prefix(2).map { row in
            [
                "name": wording.texts.sales(of: sales.day), "value": wording.amount(row.net, row.currency),
                "note": "\(row.currency) · \(wording.texts.sales(count: wording.number(row.orders)))",
                "link": link,
            ]
        }
    }

    private static func tiles(
        _ fleet: Fleet, _ records: RecordSummary, _ wording: Wording
    ) -> [PageValues] {
        let away = fleet.count(.offline) + fleet.count(.silent)
        let pending = fleet.stores.reduce(0) { $0 + $1.pending }
        let refused = fleet.stores.reduce(0) { $0 + $1.refused }
        let oldest = fleet.stores.compactMap { $0.oldestAge(at: fleet.at) }.max()
        func tile(_ name: String, _ value: String, _ note: String, _ link: String) -> PageValues {
            ["name": name, "value": value, "note": note, "link": link]
        }
        let texts = wording.texts
        return [
            tile(
                texts.page(.terminals), wording.number(fleet.active),
                texts.online(wording.number(fleet.count(.online))), "/terminals"),
            tile(
                texts.fleet(.awayTile), wording.number(away),
                texts.wholeStores(wording.number(fleet.stores.count(where: \.isAway))),
                "/terminals?sort=mode"),
            tile(
                texts.fleet(.toBeSent), wording.number(pending),
                oldest.map { texts.oldest(wording.span($0)) } ?? "–", "/terminals?sort=outbox"),
            tile(
                texts.page(.refused), wording.number(records.refusals),
                refused > 0 ? texts.refusedAtTerminals(wording.number(refused)) : texts.fleet(.waitForPerson),
                "/refused"),
        ]
    }
}

/// A trouble as text, with the page that shows more.
struct TroubleText {
    let trouble: Trouble
    let wording: Wording

    var values: PageValues {
        let (detail, link) = parts
        var values: PageValues = ["title": wording.texts.title(of: trouble.kind), "link": link]
        switch trouble.level {
        case .bad: (values["level"], values["mark"]) = ("bad", "✕")
        case .warning: (values["level"], values["mark"]) = ("warning", "!")
        case .note: (values["level"], values["mark"]) = ("note", "i")
        }
        if !detail.isEmpty { values["detail"] = detail }
        return values
    }

    private var parts: (detail: String, link: String) {
        let texts = wording.texts
        switch trouble.kind {
        case .storeAway(let since): return (wording.ago(since), "/")
        case .service(let name, _, let since, let reason):
            return ("\(wording.ago(since)) · \(reason)", "/services#\(name)")
        case .scopes(let service, let stores, let terminals):
            return (texts.scopes(stores: stores, terminals: terminals), "/services#\(service)")
        case .proposal(let proposal): return (wording.labelled(proposal.by, proposal.reason), "/overrides")
        case .overrides: return ("", "/overrides")
        case .storesAway: return ("", "#away")
        case .terminalsAway: return ("", "/terminals?sort=mode")
        case .oldOutbox(_, let oldest):
            return (texts.oldest(wording.span(oldest)), "/terminals?sort=outbox")
        case .refused(let open, let atTerminals):
            // Where the hub has none open, the title has this count.
            let isShown = open > 0 && atTerminals > 0
            return (
                isShown ? texts.refusedAtTerminals(wording.number(atTerminals)) : "",
                open > 0 ? "/refused" : "/terminals?only=refused"
            )
        case .gaps(_, let entries):
            return (texts.missing(entries: wording.number(entries)), "/terminals?only=missing")
        case .unconfirmed: return ("pos-hub terminals confirm", "/terminals?only=unconfirmed")
        case .alarms: return ("", "/alarms")
        case .disputedShifts: return ("", "/shifts?state=disputed")
        case .debts: return (texts.fleet(.goodsGone), "/debts")
        }
    }
}
