import Base
package import HubProtocol

/// Lists of alarms, flags and refused mutations. They show the documents of the back office's contract
/// (`GET /v1/alarms` and the like) as they are.
extension DashboardPages {
    /// Which part of a list a page shows.
    package struct ListQuery: Hashable, Sendable {
        /// `open` or `all`.
        package var state: String
        /// A store's id; empty: every store.
        package var store: String
        /// The state of shifts; nil: every state.
        package var shift: ShiftSettlement.State?
        /// A kind of flag; empty: every kind.
        package var flag: String
        /// `YYYY-MM-DD`, or ``own``; empty: every day.
        package var day: String
        /// The place that the page begins behind; empty: the newest.
        package var cursor: String
        /// How many rows a page has; nil for the usual number.
        package var limit: Int?

        /// In the place of a day: of each store the day that it is in.
        package static let own = "own"

        package init(
            state: String = "open", store: String = "", flag: String = "", day: String = "",
            cursor: String = "", shift: ShiftSettlement.State? = nil
        ) {
            self.shift = shift
            self.state = state
            self.store = store
            self.flag = flag
            self.day = day
            self.cursor = cursor
        }

        fileprivate func link(_ path: String, cursor: String) -> String {
            let parameters = [
                ("state", shift?.rawValue ?? (state == "open" ? "" : state)), ("store", store),
                ("flag", flag), ("day", day), ("cursor", cursor),
            ].filter { !$1.isEmpty }.map { "\($0)=\(PercentEncoding.encoded($1))" }
            return parameters.isEmpty ? path : "\(path)?\(parameters.joined(separator: "&"))"
        }
    }

    /// Alarms, each with the form that acknowledges it where the person may do that.
    package func alarms(_ frame: PageFrame, _ list: JSONValue, _ query: ListQuery) -> String {
        let wording = frame.wording
        return records(
            "alarms", frame, title: wording.texts.page(.alarms), list, rows: "alarms", path: "/alarms", query
        ) { (alarm: ListRow<AlarmMember>) in
            var row = Self.row(of: alarm, wording)
            row.set("mutationId", .mutationId)
            if alarm[.kind]?.string == AlarmKind.paymentForwardDeclined.rawValue {
                row.set("link", "/debts")
            }
            let isOpen = alarm[.state]?.string == "open"
            row.values["open"] = isOpen
            if isOpen, frame.may(.resolve), let id = alarm[.id]?.string {
                row.values["form"] = ["id": id, "seen": alarm[.lastAt]?.string ?? ""]
            }
            if !isOpen {
                row.set("by", .acknowledgedBy)
                row.set("note", .note)
            }
            return row.values
        }
    }

    /// An alarm, on the page of alarms and on that of its store.
    static func row(
        of alarm: ListRow<AlarmMember>, _ wording: Wording
    ) -> RecordValues<AlarmMember> {
        var row = RecordValues(alarm, wording)
        row.set("kind", wording.alarm(alarm[.kind]?.string ?? ""))
        row.set("last", time: .lastAt)
        row.set("detail", .detail)
        row.set("shownDetail", alarm[.detail]?.string.map(wording.localised))
        row.set("count", number: .count)
        return row
    }

    /// What the hub flagged on what it accepted.
    package func flags(_ frame: PageFrame, _ list: JSONValue, _ query: ListQuery) -> String {
        let wording = frame.wording
        return records(
            "flags", frame, title: wording.texts.page(.flags), list, rows: "flags", path: "/flags", query
        ) { (flag: ListRow<FlagMember>) in
            var row = RecordValues(flag, wording)
            row.set("flag", .flag)
            row.set("flagWord", flag[.flag]?.string.map(wording.flag))
            row.set("type", flag[.type]?.string.map(wording.entry))
            row.set("mutationId", .mutationId)
            row.set("number", .orderNumber)
            row.set("received", time: .receivedAt)
            return row.values
        }
    }

    /// What the hub refused, with the reason.
    package func refusals(_ frame: PageFrame, _ list: JSONValue, _ query: ListQuery) -> String {
        let wording = frame.wording
        return records(
            "refusals", frame, title: wording.texts.record(.refusedMutations), list, rows: "refused",
            path: "/refused", query
        ) { Self.values(ofRefusal: $0, wording) }
    }

    /// One refused mutation with its payload, and the form that resolves it.
    package func refusal(_ frame: PageFrame, _ refusal: JSONValue) -> String {
        let refusal = ListRow<RefusalMember>(refusal)
        let wording = frame.wording
        var values = Self.values(ofRefusal: refusal, wording)
        values["payload"] = RecordText.indented(refusal[.payload] ?? .null)
        if let state = refusal[.serverState] {
            values["serverState"] = RecordText.indented(state)
        }
        if refusal[.state]?.string == "open", frame.may(.resolve), let id = refusal[.id]?.string {
            values["form"] = ["id": id]
        }
        if let resolution = refusal[.resolution] {
            let decision = ListRow<DecisionMember>(resolution)
            var row = RecordValues(decision, wording)
            row.set("by", .by)
            row.set("keep", decision[.keep]?.string.map(wording.kept))
            row.set("note", .reason)
            row.set("at", time: .at)
            values["resolution"] = row.values
        }
        return rendered(
            "refusal", frame, title: wording.texts.record(.refusedMutation), values)
    }

    private static func values(ofRefusal refusal: ListRow<RefusalMember>, _ wording: Wording) -> PageValues {
        var row = RecordValues(refusal, wording)
        row.set("id", .id)
        row.set("type", refusal[.type]?.string.map(wording.entry))
        row.set("number", .orderNumber)
        row.set("received", time: .receivedAt)
        let problem = refusal[.problem].flatMap(Problem.init(json:))
        row.set("why", problem.map(wording.texts.detail(of:)) ?? refusal[.outcome]?.string)
        row.set("code", refusal[.problem]?["code"]?.string)
        if let amount = refusal[.amount]?.integer, let currency = refusal[.currency]?.string {
            row.set("amount", wording.money(amount, currency))
            row.set("sum", wording.amount(amount, currency))
            row.set("currency", currency)
        }
        let isOpen = refusal[.state]?.string == "open"
        row.values["open"] = isOpen
        row.set("state", wording.texts.record(isOpen ? .openOne : .resolved))
        row.values["tone"] = isOpen ? "warning" : "good"
        return row.values
    }

    /// Renders a list with its filter and the link to what is older.
    func records<Member>(
        _ template: String, _ frame: PageFrame, title: String, _ list: JSONValue, rows name: String,
        path: String, _ query: ListQuery, with others: PageValues = [:],
        _ row: (ListRow<Member>) -> PageValues
    ) -> String {
        let rows = (list[name]?.array ?? []).map { row(ListRow($0)) }
        var values: PageValues = [
            "heading": title, "hasRows": !rows.isEmpty, "rows": rows, "store": query.store,
            "flagName": query.flag, "dayName": query.day, "path": path, "showsAll": query.state == "all",
            "isToCome": query.day != ListQuery.own && frame.isToCome(query.day),
        ]
        if let cursor = list["cursor"]?.string { values["next"] = query.link(path, cursor: cursor) }
        if !query.cursor.isEmpty {
            var first = query
            first.cursor = ""
            values["newest"] = first.link(path, cursor: "")
        }
        values.merge(others) { own, _ in own }
        return rendered(template, frame, title: title, values)
    }
}

/// The values of one record for a template: what is absent in the document is an empty section.
struct RecordValues<Member: RawRepresentable<String> & Hashable & Sendable> {
    private let record: ListRow<Member>
    private let wording: Wording
    var values: PageValues = [:]

    /// With the record's store and terminal.
    init(_ record: ListRow<Member>, _ wording: Wording) {
        self.record = record
        self.wording = wording
        let (storeId, terminalId) = (record.json["storeId"]?.string, record.json["terminalId"]?.string)
        set("storeId", storeId)
        set("storeName", storeId.map { wording.stores.facts(of: $0).name })
        set("terminalId", terminalId)
        set("terminalPlace", terminalId.map(wording.terminal))
    }

    mutating func set(_ name: String, _ text: String?) {
        if let text, !text.isEmpty { values[name] = text }
    }

    mutating func set(_ name: String, _ member: Member) { set(name, record[member]?.string) }

    /// - Parameter member: of RFC 3339.
    mutating func set(_ name: String, time member: Member) {
        guard let moment = record[member]?.string.flatMap(Timestamp.milliseconds(of:)) else { return }
        values[name] = PageTime(moment, wording).values
    }

    mutating func set(_ name: String, number member: Member) {
        set(name, record[member]?.integer.map(wording.number))
    }
}

/// Documents as a person reads them.
enum RecordText {
    /// The most lines that a page shows of a document; a sale of 200 lines has more than a screen can show.
    private static let most = 1_000

    static func indented(_ value: JSONValue) -> String {
        let lines = value.indentedLines
        guard lines.count > most else { return lines.joined(separator: "\n") }
        return lines.prefix(most).joined(separator: "\n") + "\n…"
    }
}

extension Wording {
    func kept(_ keep: String) -> String { texts.record(keep == "server" ? .keptServer : .keptTerminal) }

    /// A type of mutation in words.
    func entry(_ type: String) -> String { texts.word(type, texts.entry) }

    /// A flag in words; several are alarms, too.
    func flag(_ flag: String) -> String {
        AlarmKind(rawValue: flag).map(texts.alarm) ?? texts.word(flag, texts.flag)
    }

    /// An alarm's kind in words; one of a later version as it is.
    func alarm(_ kind: String) -> String {
        AlarmKind(rawValue: kind).map(texts.alarm) ?? kind.replacing("_", with: " ")
    }
}
