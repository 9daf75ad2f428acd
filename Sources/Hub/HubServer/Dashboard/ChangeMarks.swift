internal import Dashboard
internal import HubProtocol

/// What figures, terminals and decisions are like, by subject: what an event names, and by which programs and
/// pages know whether they have seen it.
///
/// A mark comes of what the store holds alone, so that every process of one database has the same for the
/// same.
struct ChangeMarks: Hashable, Sendable {
    /// What an event names as changed. The raw value is the stable name.
    enum Subject: String, Hashable, Sendable, CaseIterable {
        /// Who is enrolled, what terminals reported, and who fell silent.
        case terminals
        /// The decisions on services, with their overrides.
        case services
        /// The sums of the running day.
        case sales
        /// Alarms, refusals, debts, disputed shifts and missing entries.
        case records
        /// What stores set of themselves.
        case stores
        /// Whether the store can be read.
        case hub
    }

    private let marks: [Subject: String]
    /// Names all of it at once, in 16 hexadecimal digits.
    let id: String

    /// Before the first reading.
    init() { self.init([Subject: String]()) }

    init(of summary: FleetReader.HubSummary, _ terminals: String) {
        let newest = summary.fleet.terminals.lazy.compactMap { $0.report?.at }.max() ?? 0
        let modes = FleetMode.allCases.map { "\(summary.fleet.count($0))" }
        let sales = summary.sales
        self.init([
            .terminals: ([terminals, "\(newest)"] + modes).joined(separator: " "),
            .services: summary.services.map(Self.text).joined(separator: "\n"),
            .sales: "\(sales.days) \(sales.total) \(sales.stores) \(sales.tenders)",
            .records: "\(summary.records)",
            .stores: summary.stores.ids.map { Self.text($0, summary.stores.facts(of: $0)) }
                .joined(separator: "\n"),
            .hub: summary.awaySince == nil ? "" : "away",
        ])
    }

    /// Without counts and moments, which are each process's own.
    private static func text(_ service: ServiceSummary) -> String {
        let scopes = service.scopes.map { "\($0.scope) \($0.subject) \($0.state)" }
        return "\(service.name) \(service.state) \(service.reason ?? "") \(scopes) \(service.overrides) "
            + (service.proposal?.proposal?.id ?? "")
    }

    private static func text(_ id: String, _ facts: StoreFacts) -> String {
        let zone = facts.clock.map { "\($0.zone.name) \($0.begin.text)" }
        return "\([id, facts.name, facts.place, facts.telephone, zone ?? ""])"
    }

    private init(_ texts: [Subject: String]) {
        marks = texts.mapValues { String(Digest.sha256Hex(Array($0.utf8)).prefix(16)) }
        let all = Subject.allCases.map { texts[$0] ?? "" }.joined(separator: "\u{0}")
        id = String(Digest.sha256Hex(Array(all.utf8)).prefix(16))
    }

    /// A server-sent event with what is not as it was at `earlier`; everything where that is not known.
    func event(since earlier: ChangeMarks?) -> String {
        let changed = Subject.allCases.filter { earlier == nil || marks[$0] != earlier?.marks[$0] }
        let data: JSONValue = ["changed": .array(changed.map { .string($0.rawValue) })]
        return "id: \(id)\nevent: change\ndata: \(data.canonicalText)\n\n"
    }
}
