/// Stores, terminals and their offline periods.
extension DashboardPages {
    /// The terminals that fit a query, a page of them.
    package func terminals(_ frame: PageFrame, fleet: Fleet, query: FleetQuery) -> String {
        let wording = frame.wording
        let found = query.terminals(of: fleet)
        let slice = PageSlice(of: found, page: query.page, isWhole: frame.table != nil)
        var values: PageValues = [
            "count": wording.number(found.count), "q": query.text, "store": query.store,
            "modes": FleetMode.allCases.map { mode -> PageValues in
                [
                    "key": mode.rawValue,
                    "name": wording.text(
                        wording.texts.mode(mode), aside: wording.number(fleet.count(mode))),
                    "chosen": query.mode == mode,
                ]
            },
            "concerns": FleetQuery.Concern.allCases.map { concern -> PageValues in
                [
                    "key": concern.rawValue, "name": Self.name(of: concern, wording),
                    "chosen": query.concern == concern,
                ]
            },
            "orders": FleetQuery.Order.allCases.map { order -> PageValues in
                [
                    "key": order.rawValue, "name": Self.name(of: order, wording),
                    "chosen": query.order == order,
                ]
            },
            "hasRows": !slice.rows.isEmpty, "shown": slice.text,
            "rows": slice.rows.map { Self.row(of: $0, fleet, wording) },
        ]
        values.merge(slice.links { "/terminals?" + Self.parameters(query, page: $0) }) { $1 }
        return rendered("terminals", frame, title: wording.texts.page(.terminals), values)
    }

    private static func name(of order: FleetQuery.Order, _ wording: Wording) -> String {
        switch order {
        case .store: wording.texts.fleet(.byStore)
        case .mode: wording.texts.fleet(.byMode)
        case .contact: wording.texts.fleet(.byContact)
        case .outbox: wording.texts.fleet(.byOutbox)
        case .version: wording.texts.fleet(.byVersion)
        }
    }

    private static func name(of concern: FleetQuery.Concern, _ wording: Wording) -> String {
        switch concern {
        case .missing: wording.texts.fleet(.missingEntries)
        case .refused: wording.texts.page(.refused)
        case .unconfirmed: wording.texts.fleet(.unconfirmed)
        }
    }

    private static func parameters(_ query: FleetQuery, page: Int) -> String {
        let order = query.order == .store ? "" : query.order.rawValue
        let all: [(name: String, value: String)] = [
            ("q", query.text), ("store", query.store), ("mode", query.mode?.rawValue ?? ""),
            ("only", query.concern?.rawValue ?? ""),
            ("sort", order), ("page", String(page)),
        ]
        return all.filter { !$0.value.isEmpty }
            .map { $0.name + "=" + PercentEncoding.encoded($0.value) }.joined(separator: "&")
    }

    static func row(of terminal: FleetTerminal, _ fleet: Fleet, _ wording: Wording) -> PageValues {
        let mode = terminal.mode(at: fleet.at)
        let report = terminal.report
        let refused = (report?.rejected ?? 0) + (report?.conflicted ?? 0)
        var values: PageValues = [
            "id": terminal.id, "place": terminal.place, "storeId": terminal.storeId,
            "mode": mode.rawValue,
            "word": wording.texts.mode(mode), "causes": wording.causes(terminal.causes(at: fleet.at)),
            "pending": report.map { wording.number($0.pending) } ?? "",
            "oldest": terminal.oldestAge(at: fleet.at).map(wording.span) ?? "",
            "refused": refused > 0 ? wording.number(refused) : "", "version": report?.version ?? "",
            "unconfirmed": terminal.isUnconfirmed,
        ]
        if let missing = fleet.missing[terminal.id] { values["missing"] = wording.number(missing) }
        let storeName = wording.stores.facts(of: terminal.storeId).name
        if !storeName.isEmpty { values["storeName"] = storeName }
        if !terminal.name.isEmpty { values["name"] = terminal.name }
        if let age = terminal.oldestAge(at: fleet.at) {
            values["oldestSince"] = PageTime(fleet.at - age, wording).values
        }
        if let since = terminal.since(at: fleet.at) { values["since"] = PageTime(since, wording).values }
        if let contact = terminal.lastContact { values["contact"] = PageTime(contact, wording).values }
        return values
    }

    /// Everything that the hub holds of one terminal.
    package func terminal(
        _ frame: PageFrame, fleet: Fleet, terminal: FleetTerminal, handedIn: [HandedInPiece] = []
    ) -> String {
        let frame = frame.of(store: terminal.storeId)
        let wording = frame.wording
        let periods = terminal.periods(at: fleet.at)
        var values = Self.row(of: terminal, fleet, wording)
        values["facts"] = Self.facts(of: terminal, fleet, wording).map { name, value -> PageValues in
            ["name": name, "value": value]
        }
        let row = OfflineTimeline.Row(
            name: terminal.place, link: "", periods: periods, knownSince: terminal.knownSince)
        values["plot"] = OfflineTimeline(rows: [row], wording: wording, span: 7 * 86_400_000).svg
        values["hasPeriods"] = !periods.isEmpty
        values["periods"] = periods.map { Self.values(of: $0, wording) }
        let rows = handedIn.prefix(frame.table == nil ? Self.mostHandedIn : PageTables.mostRows)
        values["hasHandedIn"] = !rows.isEmpty
        values["handedInRows"] = rows.map { $0.values(wording) }
        values["waitsForPerson"] = handedIn.contains { $0.hold != nil }
        return rendered("terminal", frame, title: terminal.place, values)
    }

    /// Pieces that the page lists; the file of the table has all.
    private static let mostHandedIn = 50

    private static func facts(
        of terminal: FleetTerminal, _ fleet: Fleet, _ wording: Wording
    ) -> [(String, String)] {
        let report = terminal.report
        func moment(_ moment: Int64?) -> String? {
            moment.map(wording.moment)
        }
        let rate = report?.successPerMille.map { "\($0 / 10).\($0 % 10) %" }
        let causes = wording.causes(terminal.causes(at: fleet.at))
        let texts = wording.texts
        let facts: [(String, String?)] = [
            (texts.fleet(.contact), moment(terminal.lastContact)),
            (texts.fleet(.report), moment(report?.at)),
            (texts.fleet(.sinceHead), moment(terminal.since(at: fleet.at))),
            (texts.fleet(.causes), causes.isEmpty ? nil : causes),
            (texts.fleet(.outbox), report.map { wording.number($0.pending) }),
            (texts.fleet(.copied), report?.copied.map(wording.number)),
            (texts.fleet(.oldest), terminal.oldestAge(at: fleet.at).map(wording.span)),
            (texts.page(.refused), report.map { wording.number($0.rejected + $0.conflicted) }),
            (texts.fleet(.missingEntries), fleet.missing[terminal.id].map(wording.number)),
            (texts.fleet(.success), rate), (texts.frame(.version), report?.version),
            (texts.fleet(.system), report?.system), (texts.fleet(.enrolled), moment(terminal.enrolledAt)),
            (texts.frame(.id), terminal.id),
        ]
        return facts.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func values(of period: OfflinePeriod, _ wording: Wording) -> PageValues {
        let length = max(0, (period.end ?? wording.now) - period.start)
        let span = wording.span(length)
        var values: PageValues = [
            "start": PageTime(period.start, wording).values, "seconds": length / 1_000,
            "length": period.end == nil ? wording.list([span, wording.texts.fleet(.lasts)]) : span,
            "causes": wording.causes(period.causes),
        ]
        if let end = period.end { values["end"] = PageTime(end, wording).values }
        return values
    }

    /// A period with the store or terminal that it is of.
    static func values(
        of period: OfflinePeriod, in row: StoreOutages.Row, _ fleet: Fleet, _ wording: Wording
    ) -> PageValues {
        let name = timelineRow(row, fleet, wording)
        return values(of: period, wording).merging([
            "link": name.link, "place": name.name, "count": wording.number(row.terminals),
        ]) { $1 }
    }

    /// The stores that fit, a page of them.
    ///
    /// - Parameter onlyAway: those alone of which a terminal is offline or silent, the worst first.
    package func stores(
        _ frame: PageFrame, fleet: Fleet, text: String, onlyAway: Bool, page: Int
    ) -> String {
        let wording = frame.wording
        let wanted = text.lowercased()
        let away = fleet.worstFirst(fleet.stores.filter { $0.away > 0 })
        let found = (onlyAway ? away : fleet.stores).filter { store in
            wanted.isEmpty || wording.store(store.id).lowercased().contains(wanted)
        }
        let slice = PageSlice(of: found, page: page, isWhole: frame.table != nil)
        var values: PageValues = [
            "count": wording.number(found.count), "q": text, "onlyAway": onlyAway,
            "hasRows": !slice.rows.isEmpty, "shown": slice.text,
            "rows": slice.rows.map { Self.row(of: $0, fleet, wording) },
        ]
        let parameters = "q=\(PercentEncoding.encoded(text))\(onlyAway ? "&away=1" : "")"
        values.merge(slice.links { "/stores?\(parameters)&page=\($0)" }) { $1 }
        return rendered("stores", frame, title: wording.texts.page(.stores), values)
    }

    static func row(of store: FleetStore, _ fleet: Fleet, _ wording: Wording) -> PageValues {
        let facts = wording.stores.facts(of: store.id)
        var row: PageValues = [
            "storeId": store.id, "telephone": facts.telephone,
            "terminals": wording.number(store.terminals),
            "away": wording.number(store.away), "bad": store.away > 0,
            "causes": wording.causes(store.causes), "pending": wording.number(store.pending),
            "oldest": store.oldestAge(at: fleet.at).map(wording.span) ?? "",
            "refused": store.refused > 0 ? wording.number(store.refused) : "",
        ]
        if !facts.name.isEmpty { row["storeName"] = facts.name }
        if let link = facts.telephoneLink { row["tel"] = link }
        if let age = store.oldestAge(at: fleet.at) {
            row["oldestSince"] = PageTime(fleet.at - age, wording).values
        }
        if let since = store.awaySince { row["since"] = PageTime(since, wording).values }
        if let contact = store.lastContact { row["contact"] = PageTime(contact, wording).values }
        return row
    }

    /// Offline periods of all terminals, the newest first.
    ///
    /// - Parameter hours: how far back; 24 or 168.
    package func offline(_ frame: PageFrame, fleet: Fleet, hours: Int64) -> String {
        let wording = frame.wording
        let begin = wording.now - hours * 3_600_000
        let rows = fleet.outages(since: begin).flatMap(\.rows)
        let all = rows.flatMap { row in row.periods.map { (row: row, period: $0) } }
            .sorted { $0.period.start > $1.period.start }
        let lasting = all.filter { $0.period.end == nil }
        // What lasts comes first, and of that whole stores; more than these rows no screen shows.
        let shown =
            (lasting.filter { $0.row.isOfStore } + lasting.filter { !$0.row.isOfStore }
            + all.filter { $0.period.end != nil })
            .prefix(frame.table == nil ? 200 : PageTables.mostRows)
        var drawn: [StoreOutages.Row] = []
        var subjects: Set<StoreOutages.Subject> = []
        for (row, _) in shown where drawn.count < 40 && subjects.insert(row.subject).inserted {
            drawn.append(row)
        }
        let plot = OfflineTimeline(
            rows: drawn.map { Self.timelineRow($0, fleet, wording) }, wording: wording,
            span: hours * 3_600_000)
        return rendered(
            "offline", frame, title: wording.texts.page(.offline),
            [
                "spans": [(24, wording.texts.frame(.day)), (168, wording.texts.frame(.week))].map {
                    span, name -> PageValues in
                    var value: PageValues = [
                        "hours": span, "name": name,
                    ]
                    if Int64(span) == hours { value["here"] = true }
                    return value
                },
                "plot": drawn.isEmpty ? "" : plot.svg, "hasPeriods": !shown.isEmpty,
                "periods": shown.map { Self.values(of: $1, in: $0, fleet, wording) },
            ])
    }

    static func timelineRow(
        _ row: StoreOutages.Row, _ fleet: Fleet, _ wording: Wording
    ) -> OfflineTimeline.Row {
        let (name, link) =
            switch row.subject {
            case .store(let id): (wording.store(id), "/stores/" + PercentEncoding.encoded(id))
            case .terminal(let id): (fleet.terminal(id)?.place ?? id, "/terminals/\(id)")
            }
        return OfflineTimeline.Row(
            name: name, link: link, periods: row.periods, knownSince: row.knownSince)
    }
}

/// A page of a long list.
struct PageSlice<Row> {
    let rows: [Row]
    let page: Int
    private let count: Int
    private let size: Int

    /// - Parameter isWhole: whether it has all rows that a table may have, in place of a page of them.
    init(of all: [Row], page wanted: Int, isWhole: Bool = false) {
        count = all.count
        size = isWhole ? PageTables.mostRows : FleetQuery.pageSize
        let last = max(1, (all.count + size - 1) / size)
        page = min(max(1, wanted), last)
        rows = Array(all.dropFirst((page - 1) * size).prefix(size))
    }

    /// Which rows of how many.
    var text: String {
        rows.isEmpty ? "" : "\((page - 1) * size + 1)–\((page - 1) * size + rows.count) / \(count)"
    }

    /// Links to the pages before and after, where there are any.
    func links(_ link: (Int) -> String) -> PageValues {
        var values: PageValues = [:]
        if page > 1 { values["previous"] = link(page - 1) }
        if page * size < count { values["next"] = link(page + 1) }
        return values
    }
}

/// Percent-encoding of RFC 3986, section 2.1.
package enum PercentEncoding {
    /// For a value in the query of a URL, or a segment of its path.
    package static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                encoded.unicodeScalars.append(UnicodeScalar(byte))
            case _:
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
