internal import Base
internal import Dashboard
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore

/// The operators' pages, and what they load.
struct DashboardRoutes: Sendable {
    let authorizer: Authorizer
    /// Whether no login is needed: on the local socket, and with `ops.open`. Such a page has no forms.
    let isOpen: Bool
    let pages: DashboardPages
    let reader: FleetReader
    let live: LiveEvents
    /// Nil without the QoS role.
    let overrides: OverrideService?
    /// Nil without a store of orders.
    let ledger: (any Ledger)?
    let log: OperatorLog

    private static let languageCookie = "page_language"

    var routes: [Route] {
        [
            shown("/") { request, frame, summary in
                pages.overview(
                    frame, fleet: summary.fleet, services: summary.services, sales: summary.sales,
                    records: summary.records)
            },
            shown("/services") { request, frame, summary in
                pages.services(frame, services: summary.services, unknown: summary.unknown)
            },
            shown("/stores", ["q", "away", "page"]) { request, frame, summary in
                let fields = Self.fields(of: request)
                return try pages.stores(
                    frame, fleet: summary.fleet, text: fields["q"] ?? "",
                    onlyAway: fields.choice("away", ["1"]) != nil, page: Self.page(fields))
            },
            shown("/stores/{id}") { request, frame, summary in
                try await store(request.parameters["id"] ?? "", frame, summary)
            },
            shown("/terminals", ["q", "store", "mode", "only", "sort", "page"]) { request, frame, summary in
                try pages.terminals(frame, fleet: summary.fleet, query: Self.query(of: request))
            },
            shown("/terminals/{id}") { request, frame, summary in
                let id = request.parameters["id"] ?? ""
                guard let terminal = summary.fleet.terminal(id) else {
                    throw Problem.noTerminal(id)
                }
                // Without its database the hub shows what it read before.
                let relays = frame.storeAwaySince == nil ? try await ledger?.relays(of: id) ?? [] : []
                return pages.terminal(
                    frame, fleet: summary.fleet, terminal: terminal, handedIn: relays.map(HandedInPiece.init))
            },
            shown("/offline", ["hours"]) { request, frame, summary in
                let hours = try Self.fields(of: request).choice("hours", ["24", "168"]).flatMap(Int64.init)
                return pages.offline(frame, fleet: summary.fleet, hours: hours ?? 24)
            },
            shown("/sales", ["day"]) { request, frame, summary in
                let named = request.query("day").flatMap { $0.isEmpty ? nil : $0 }
                try BackOffice.check(SalesFilter(from: named))
                guard let ledger else { return pages.sales(frame, SalesSummary(day: named ?? frame.day)) }
                let sales =
                    if let named {
                        try await SalesSummary(day: named, of: ledger)
                    } else {
                        try await SalesSummary(of: ledger, in: summary.stores, at: authorizer.now())
                    }
                return pages.sales(frame, sales)
            },
            shown("/overrides") { request, frame, summary in
                pages.overrides(frame, services: summary.services)
            },
            shown("/log") { request, frame, summary in try await logged(frame) },
            Route(.get, "/live", .page, response: events),
            Route(.get, Routes.events, .operator(.exportRecords), parameters: ["after"], response: changes),
            Route(.get, "/language/{language}", .page, response: chooseLanguage),
            asset("/assets/dashboard.css", "text/css; charset=utf-8", PageAssets.style),
            asset("/assets/dashboard.js", "text/javascript; charset=utf-8", PageAssets.script),
            asset("/assets/icon.svg", "image/svg+xml", PageAssets.icon),
            form(
                "/overrides",
                ["service", "state", "reason", "storeId", "minutes", "until", "confirmed", "seen"], set),
            form("/overrides/clear", ["service", "storeId", "id", "seen"], clear),
            form("/overrides/confirm", ["service", "id"], confirm),
        ] + records
    }

    /// The language of a visitor.
    static func language(of request: HubRequest) -> Language {
        Language(
            chosen: OperatorSession.cookie(languageCookie, in: request.header("Cookie")),
            accepted: request.header("Accept-Language"))
    }

    private func asset(_ path: String, _ type: String, _ text: String) -> Route {
        Route(.get, path, .page) { _ in
            HubResponse(status: 200, contentType: type, body: Array(text.utf8))
                .with("Cache-Control", "no-cache").with("X-Content-Type-Options", "nosniff")
        }
    }

    /// A page.
    ///
    /// - Parameter parameters: what its query may have, beside a table and what came of a form.
    func shown(
        _ template: String, _ parameters: [String] = [],
        _ page: @escaping @Sendable (HubRequest, PageFrame, FleetReader.HubSummary) async throws -> String
    ) -> Route {
        let known = KnownNames.parameters(parameters, ofLinks: ["table", "done"])
        return Route(.get, template, .page) { request in
            guard try isAdmitted(request) else { return Self.toLogin }
            return try await explained(request) {
                try known.check(request.queryNames)
                let summary = await reader.current()
                let text = try await page(request, frame(of: request, summary), summary)
                return PageTables.isTable(text)
                    ? HTMLText.table(text, of: request.path) : HTMLText.response(status: 200, text)
            }
        }
    }

    /// What a person's browser shows of a refusal: a page with the reason and the way back. A program gets
    /// the problem.
    private func explained(
        _ request: HubRequest, _ body: () async throws -> HubResponse
    ) async throws -> HubResponse {
        do {
            return try await body()
        } catch  where request.header("Accept")?.contains("text/html") == true {
            let problem = Problem(of: error, request.logger)
            let summary = await reader.current()
            let notice = PageFrame.Notice(problem, Self.language(of: request))
            let frame = frame(of: request, summary, isLive: false, notice: notice)
            return HTMLText.response(status: problem.status, pages.refused(frame, problem))
        }
    }

    /// What a person with a session sees whose address leads to nothing; nil for anybody else.
    @Sendable func lost(_ request: HubRequest) async throws -> HubResponse? {
        guard request.header("Accept")?.contains("text/html") == true,
            isOpen || authorizer.session(of: request) != nil
        else { return nil }
        return try await explained(request) { throw Problem.notFound }
    }

    /// - Returns: false for a person without a session, who is sent to the login.
    private func isAdmitted(_ request: HubRequest) throws -> Bool {
        if isOpen { return true }
        if request.header("Authorization") == nil, authorizer.session(of: request) == nil { return false }
        _ = try authorizer.operator(of: request, for: .readOperations)
        return true
    }

    private static let toLogin = see("/login")

    private func frame(
        of request: HubRequest, _ summary: FleetReader.HubSummary, isLive: Bool = true,
        notice: PageFrame.Notice? = nil
    ) -> PageFrame {
        let language = Self.language(of: request)
        let person = authorizer.session(of: request).map { session, entry in
            PageFrame.Person(
                name: entry.name, role: entry.role.rawValue,
                csrfToken: authorizer.sessions.csrfToken(of: session), rights: Self.rights(of: entry.role))
        }
        return PageFrame(
            language: language, person: person, now: authorizer.now(), path: request.path,
            readAt: summary.fleet.at, storeAwaySince: summary.awaySince,
            version: isLive ? summary.marks.id : nil,
            notice: notice
                ?? request.query("done").flatMap(FormResult.init).map { PageFrame.Notice($0, language) },
            stores: summary.stores, fleet: summary.fleet, query: request.queryText,
            table: request.query("table"))
    }

    private static func rights(of role: OperatorRole) -> Set<PageFrame.Right> {
        let all: [(PageFrame.Right, ProtectedAction)] = [
            (.overrideStore, .overrideStore), (.overrideChain, .overrideChain),
            (.confirmOverride, .confirmOverride), (.resolve, .acknowledgeAlarm),
        ]
        return Set(all.filter { AuthorizationTable.allows($0.1, by: role.caller) }.map(\.0))
    }

    /// The query as a form of a page sends it, with `+` for spaces.
    static func fields(of request: HubRequest) -> FormFields {
        FormFields(Array(request.queryText.utf8))
    }

    private static func page(_ fields: FormFields) throws(Problem) -> Int {
        Int(clamping: try fields.number("page") ?? 1)
    }

    private static func query(of request: HubRequest) throws(Problem) -> FleetQuery {
        let fields = fields(of: request)
        var query = FleetQuery()
        query.text = String((fields["q"] ?? "").prefix(200))
        query.store = fields["store"] ?? ""
        query.mode = try fields.choice("mode")
        query.concern = try fields.choice("only")
        query.order = try fields.choice("sort") ?? .store
        query.page = try page(fields)
        return query
    }

    /// One store: a store without terminals and settings is none.
    private func store(
        _ id: String, _ frame: PageFrame, _ summary: FleetReader.HubSummary
    ) async throws -> String {
        let found = summary.fleet.stores.first { $0.id == id }
        guard found != nil || summary.stores.facts(of: id) != StoreFacts() else {
            throw Problem.notFound(
                "No store has the id \(id.printable): check it, or choose one of the page Stores.",
                .unknown(.store, id: id))
        }
        let day = summary.stores.clock(of: id).day(at: authorizer.now())
        guard let ledger else {
            return pages.store(
                frame, fleet: summary.fleet, store: id, sales: SalesSummary(day: day), alarms: [:])
        }
        let office = BackOffice(ledger: ledger, now: authorizer.now)
        let open = BackOfficeCall.listAlarms(
            BackOfficeCall.Page(SalesFilter(storeId: id), cursor: nil), all: false)
        return pages.store(
            frame, fleet: summary.fleet, store: id,
            sales: try await SalesSummary(day: day, of: ledger, store: id),
            alarms: try await office.perform(open, by: ""))
    }

    private func logged(_ frame: PageFrame) async throws -> String {
        guard let ledger else { return pages.log(frame, entries: [], brokenAt: nil) }
        let count = try await ledger.loggedActCount()
        let entries = try await ledger.loggedActs(after: max(0, count - 200), limit: 200)
        let broken = zip(entries, entries.dropFirst()).first { before, entry in
            !entry.follows(before.sequence, hash: before.hash)
        }
        return pages.log(
            frame,
            entries: entries.reversed().map { entry in
                DashboardPages.LogEntry(
                    at: entry.act.at, name: entry.act.name, role: entry.act.role.rawValue,
                    action: entry.act.action, subject: entry.act.subject,
                    outcome: entry.act.outcome.rawValue, detail: entry.act.detail)
            }, brokenAt: broken?.1.sequence)
    }
}

/// What a page sends.
extension DashboardRoutes {
    private func form(
        _ path: String, _ names: [String],
        _ act: @escaping @Sendable (HubRequest, FormFields, OperatorIdentity) async throws -> HubResponse
    ) -> Route {
        submitted(path, names) { request, fields, person in
            do {
                return try await act(request, fields, person)
            } catch let problem as Problem {
                let summary = await reader.current()
                let notice = PageFrame.Notice(problem, Self.language(of: request))
                return HTMLText.response(
                    status: problem.status,
                    pages.overrides(
                        frame(of: request, summary, isLive: false, notice: notice),
                        services: summary.services))
            }
        }
    }

    /// A form of a page, with the session's own token in it.
    ///
    /// - Parameter names: of its fields, beside the token.
    func submitted(
        _ path: String, _ names: [String],
        _ act: @escaping @Sendable (HubRequest, FormFields, OperatorIdentity) async throws -> HubResponse
    ) -> Route {
        let known = KnownNames.fields(names + ["csrf"])
        return Route(.post, path, .page) { request in
            let fields = FormFields(try await request.body())
            guard let (session, entry) = authorizer.session(of: request) else { return Self.toLogin }
            return try await explained(request) {
                guard fields["csrf"] == authorizer.sessions.csrfToken(of: session) else {
                    throw Problem.csrfRefused
                }
                try known.check(fields.names)
                return try await act(request, fields, entry.identity)
            }
        }
    }

    /// Leads the browser to another page.
    static func see(_ location: String) -> HubResponse {
        HubResponse(status: 303).with("Location", location).with("Cache-Control", "no-store")
    }

    /// The same, with what came of a form.
    static func see(_ path: String, _ result: FormResult) -> HubResponse {
        see("\(path)?done=\(result.rawValue)")
    }

    private func requireOverrides() throws(Problem) -> OverrideService {
        guard let overrides else {
            throw .notFound(
                "This process decides on no services: use a hub with the role qos.", .withoutDecisions)
        }
        return overrides
    }

    /// Shows in words what a person is about to set; the form of that page sets it.
    @Sendable private func set(
        _ request: HubRequest, _ fields: FormFields, _ person: OperatorIdentity
    ) async throws -> HubResponse {
        let overrides = try requireOverrides()
        let minutes = try fields.number("minutes").map { min(max($0, 1), 525_600) }
        let until = try fields.number("until") ?? minutes.map { authorizer.now() + $0 * 60_000 }
        let wanted = OverrideService.Wanted(
            service: fields["service"] ?? "", state: fields["state"] ?? "", reason: fields["reason"] ?? "",
            until: until, storeId: fields.filled("storeId"))
        let present = await present(wanted.service, wanted.storeId)
        guard fields["confirmed"] == nil else {
            try overrides.requireRight(to: wanted.storeId, of: person)
            try Self.requireSeen(present, by: fields)
            let proposal = try await overrides.set(wanted, by: person)
            await reader.readAgain()
            return Self.see("/overrides", proposal == nil ? .set : .proposed)
        }
        try await overrides.check(wanted, by: person)
        let summary = await reader.current()
        let shown = OverrideSummary(
            service: wanted.service, storeId: wanted.storeId,
            state: ServiceState(rawValue: wanted.state) ?? .healthy, reason: wanted.reason, by: person.name,
            until: wanted.until)
        return HTMLText.response(
            status: 200,
            pages.confirmation(
                frame(of: request, summary, isLive: false), of: shown, insteadOf: present,
                isKnown: summary.fleet.stores.contains { $0.id == wanted.storeId }))
    }

    /// The override of a scope as it is now, whatever a page showed.
    private func present(_ service: String, _ storeId: String?) async -> OverrideSummary? {
        await reader.readAgain()
        return await reader.current().services.first { $0.name == service }?.overrides.first {
            $0.storeId == storeId
        }
    }

    /// A page that is old changes nothing that its reader did not see.
    private static func requireSeen(_ present: OverrideSummary?, by fields: FormFields) throws(Problem) {
        guard fields["seen"] ?? "" == present?.mark ?? "" else { throw .overrideChanged(to: present) }
    }

    @Sendable private func clear(
        _ request: HubRequest, _ fields: FormFields, _ person: OperatorIdentity
    ) async throws -> HubResponse {
        let (service, storeId) = (fields["service"] ?? "", fields.filled("storeId"))
        let overrides = try requireOverrides()
        try overrides.requireRight(to: storeId, of: person)
        if let id = fields.filled("id") {
            try await overrides.withdraw(service, id: id, by: person)
        } else {
            let present = await present(service, storeId)
            guard present != nil else { throw Problem.overrideChanged(to: nil) }
            try Self.requireSeen(present, by: fields)
            try await overrides.clear(service, storeId: storeId, by: person)
        }
        await reader.readAgain()
        return Self.see("/overrides", .cleared)
    }

    @Sendable private func confirm(
        _ request: HubRequest, _ fields: FormFields, _ person: OperatorIdentity
    ) async throws -> HubResponse {
        try await requireOverrides().confirm(
            fields["service"] ?? "", id: fields["id"] ?? "", by: person)
        await reader.readAgain()
        return Self.see("/overrides", .confirmed)
    }

    /// Keeps the choice for a year and leads back to the page that it was made on.
    @Sendable private func chooseLanguage(_ request: HubRequest) async throws -> HubResponse {
        guard let language = Language(rawValue: request.parameters["language"] ?? "") else {
            throw Problem.notFound
        }
        return HubResponse(status: 303).with("Location", Self.back(of: request))
            .with("Cache-Control", "no-store")
            .with(
                "Set-Cookie",
                "\(Self.languageCookie)=\(language.rawValue); Path=/; Max-Age=31536000; SameSite=Lax")
    }

    /// The path of the page that led here, of this hub alone.
    private static func back(of request: HubRequest) -> String {
        guard let referer = request.header("Referer"), let authority = request.authority,
            let start = referer.range(of: "://" + authority + "/")
        else { return "/" }
        let path = "/" + referer[start.upperBound...]
        return path.hasPrefix("//") || path.hasPrefix("/language") ? "/" : path
    }

    /// For a page of a session; it ends with the session.
    @Sendable private func events(_ request: HubRequest) async throws -> HubResponse {
        guard isOpen || authorizer.session(of: request) != nil else { throw Problem.operatorRequired }
        guard try isAdmitted(request) else { throw Problem.operatorRequired }
        let person = authorizer.session(of: request)?.entry.identity
        return stream(to: request, person) { isOpen || authorizer.session(of: request) != nil }
    }

    /// For a program of the back office; it ends with its token.
    @Sendable private func changes(_ request: HubRequest) async throws -> HubResponse {
        stream(to: request, request.operatorIdentity) {
            isOpen || (try? authorizer.operator(of: request, for: .exportRecords)) != nil
        }
    }

    /// Server-sent events (WHATWG HTML, section 9.2): `change` whenever something changed.
    private func stream(
        to request: HubRequest, _ person: OperatorIdentity?, while isAdmitted: @escaping @Sendable () -> Bool
    ) -> HubResponse {
        let viewer = person.map { .person($0.name) } ?? LiveEvents.Viewer.peer(request.peer())
        let changes = live.reader(for: viewer)
        // What a browser sends when it connects again is newer than its address.
        let seen = request.header("Last-Event-ID") ?? request.query("after")
        var response = HubResponse(status: 200, contentType: "text/event-stream")
            .with("Cache-Control", "no-store").with("X-Accel-Buffering", "no")
        response.stream = { write in
            var sent: ChangeMarks?
            try await write(Array("retry: 2000\n\n".utf8))
            for await marks in changes {
                guard isAdmitted() else { return }
                let isKnown = sent.map { $0 == marks } ?? (seen == marks.id)
                try await write(Array((isKnown ? ":\n\n" : marks.event(since: sent)).utf8))
                sent = marks
            }
        }
        return response
    }
}

extension Problem {
    fileprivate static func overrideChanged(to present: OverrideSummary?) -> Problem {
        let now =
            present.map { "\($0.by) set another override here: \($0.state.rawValue), \($0.reason)" }
            ?? "There is no override here any more"
        return Problem(
            status: 409, code: ProblemCode(rawValue: "override_changed"),
            title: "The override is another one now",
            detail: "\(now); nothing was changed. Load the page anew.",
            reason: .overrideChanged(by: present?.by))
    }
}

/// A page as a response: never stored, everything that it loads from this hub, forms to this hub alone.
enum HTMLText {
    /// A table of a page, as a file that is called like the page.
    static func table(_ text: String, of path: String) -> HubResponse {
        let name = path.split(separator: "/").first.map(String.init) ?? "overview"
        return HubResponse(
            status: 200, contentType: "text/csv; charset=utf-8; header=present", body: Array(text.utf8)
        )
        .with("Content-Disposition", "attachment; filename=\"holdfast-\(name).csv\"")
        .with("Cache-Control", "no-store").with("X-Content-Type-Options", "nosniff")
    }

    static func response(status: Int, _ html: String) -> HubResponse {
        HubResponse(status: status, contentType: "text/html; charset=utf-8", body: Array(html.utf8))
            .with("Cache-Control", "no-store")
            .with(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
                    + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
            )
            // The page's path leads back after a change of the language, and to no other site.
            .with("X-Content-Type-Options", "nosniff").with("Referrer-Policy", "same-origin")
    }
}
