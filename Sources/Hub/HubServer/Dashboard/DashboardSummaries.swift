import Base

internal import Dashboard
internal import HubCore
internal import HubProtocol
internal import HubStore

extension FleetTerminal {
    /// The dashboard's view of a terminal.
    init(_ terminal: TerminalRecord, _ record: TelemetryRecord?, lastMutation: Int64?) {
        self.init(
            id: terminal.id, storeId: terminal.storeId, number: terminal.number, name: terminal.name,
            enrolledAt: terminal.enrolledAt, revokedAt: terminal.revokedAt,
            isUnconfirmed: terminal.unconfirmedSince != nil, lastMutation: lastMutation,
            report: record.map(Report.init))
    }
}

extension FleetTerminal.Report {
    fileprivate init(_ record: TelemetryRecord) {
        let report = record.report
        self.init(
            at: record.receivedAt, connectivity: report.connectivity["state"]?.string ?? "",
            pending: report.pending, oldestAge: report.oldestAgeMilliseconds, rejected: report.rejected,
            conflicted: report.conflicted, version: report.appVersion, system: report.osVersion,
            successPerMille: record.successPerMille,
            periods: report.offlinePeriods.compactMap(OfflinePeriod.init(json:)), copied: report.copied)
    }
}

extension HandedInPiece {
    init(_ relay: RelayRecord) {
        self.init(
            epoch: relay.epoch, first: relay.first, last: relay.last, by: relay.by, at: relay.at,
            hold: relay.held)
    }
}

extension OfflinePeriod {
    fileprivate init?(json: JSONValue) {
        guard let start = json["start"]?.string.flatMap(Timestamp.milliseconds(of:)) else { return nil }
        self.init(
            start: start, end: json["end"]?.string.flatMap(Timestamp.milliseconds(of:)),
            causes: OutageCauses(
                (json["causes"]?.array ?? []).compactMap(\.string),
                evidence: (json["evidence"]?.array ?? []).compactMap(\.string)))
    }
}

/// The status of the services as `GET /v1/qos/services` has it, read back: the pages show what the contract
/// says, and nothing else.
extension ServiceSummary {
    init?(json: JSONValue) {
        guard let name = json["service"]?.string, let state = Self.state(json) else { return nil }
        let chain = json["override"].flatMap { OverrideSummary(json: $0, service: name) }
        let stores = (json["storeOverrides"]?.array ?? []).compactMap {
            OverrideSummary(json: $0, service: name)
        }
        self.init(
            name: name, state: state, source: json["source"]?.string ?? "", since: Self.moment(json["since"]),
            reason: json["reason"]?.string, failedPercent: json["failureRatePercent"]?.integer,
            scopes: (json["scopes"]?.array ?? []).compactMap(Scope.init(json:)),
            overrides: [chain].compactMap(\.self) + stores,
            proposal: json["proposal"].flatMap { OverrideSummary(json: $0, service: name) },
            history: (json["history"]?.array ?? []).compactMap(Change.init(json:)))
    }

    fileprivate static func state(_ json: JSONValue) -> ServiceState? {
        json["state"]?.string.flatMap(ServiceState.init)
    }

    fileprivate static func moment(_ json: JSONValue?) -> Int64 {
        json?.string.flatMap(Timestamp.milliseconds(of:)) ?? 0
    }
}

extension ServiceSummary.Scope {
    fileprivate init?(json: JSONValue) {
        guard let scope = json["scope"]?.string, let state = ServiceSummary.state(json) else { return nil }
        self.init(
            scope: scope, subject: json["subject"]?.string ?? "", state: state,
            reason: json["reason"]?.string ?? "",
            since: ServiceSummary.moment(json["since"]),
            failing: (json["evidence"]?["terminals"]?.array ?? []).map { terminal in
                let failed = terminal["failed"]?.integer ?? 0
                return ServiceSummary.Failing(
                    storeId: terminal["storeId"]?.string ?? "",
                    terminalId: terminal["terminalId"]?.string ?? "", failed: failed,
                    all: failed + (terminal["ok"]?.integer ?? 0))
            })
    }
}

extension ServiceSummary.Change {
    fileprivate init?(json: JSONValue) {
        guard let scope = json["scope"]?.string, let state = ServiceSummary.state(json) else { return nil }
        self.init(
            at: ServiceSummary.moment(json["at"]), scope: scope, subject: json["subject"]?.string ?? "",
            state: state, source: json["source"]?.string ?? "", reason: json["reason"]?.string ?? "")
    }
}

extension OverrideSummary {
    fileprivate init?(json: JSONValue, service: String) {
        guard let state = ServiceSummary.state(json) else { return nil }
        let waiting = json["id"]?.string.map {
            Waiting(id: $0, expiresAt: ServiceSummary.moment(json["expiresAt"]))
        }
        self.init(
            service: service, storeId: json["storeId"]?.string, state: state,
            reason: json["reason"]?.string ?? "", by: json["by"]?.string ?? "",
            until: json["until"]?.string.flatMap(Timestamp.milliseconds(of:)), proposal: waiting)
    }
}

extension RecordSummary {
    /// What is open in the store.
    init(of ledger: any Ledger) async throws(LedgerError) {
        let alarms = try await ledger.rows(of: BackOfficeQuery.openAlarmCounts)
        let refusals = try await ledger.rows(of: BackOfficeQuery.openRefusalCount)
        let disputed = try await ledger.rows(of: ShiftQuery.disputedCount)
        let debts = try await ledger.rows(of: BackOfficeQuery.openDebtCount)
        let gaps = try await ledger.rows(of: BackOfficeQuery.journalGaps)
        self.init(
            alarms: alarms.reduce(0) { $0 + ($1.integer("count") ?? 0) },
            refusals: refusals.first?.integer("count") ?? 0,
            disputedShifts: disputed.first?.integer("count") ?? 0,
            debts: debts.first?.integer("count") ?? 0,
            missing: Dictionary(
                gaps.compactMap { row in
                    row.text("terminal_id").flatMap { id in row.integer("missing").map { (id, $0) } }
                }
            ) { $1 })
    }
}

extension SalesSummary {
    /// The sums of the day that the stores are in, each store's own where they are in several.
    init(of ledger: any Ledger, in stores: StoreDirectory, at now: Int64) async throws(LedgerError) {
        let days = stores.days(at: now)
        guard days.count > 1 else {
            try await self.init(day: days[0], of: ledger)
            return
        }
        var rows: [SalesRow] = []
        var tenders = SalesReport(by: .tender)
        for day in days {
            let own = try await ledger.sales(by: .store, SalesFilter(from: day, to: day)).filter { row in
                stores.clock(of: row.key.first.flatMap(\.self) ?? "").day(at: now) == day
            }
            rows += own
            let sold = Set(own.compactMap { $0.key.first.flatMap(\.self) })
            let filter = SalesFilter(from: day, to: day, stores: sold.sorted())
            for row in try await ledger.sales(by: .tender, filter) {
                tenders.add(
                    row.key, row.currency, orders: row.orders, gross: row.gross, discounts: row.discounts,
                    refunds: row.refunds, tax: row.tax)
            }
        }
        let shown = rows.ended(at: [SalesRow].mostInTable)
        let hasAll = rows.count <= SalesFilter.mostStores
        self.init(
            days: days, total: Row.sums(of: shown), stores: shown.map { Row($0, named: true) },
            // A table that lacks stores would not come to the total.
            tenders: hasAll
                ? tenders.rows.ended(at: [SalesRow].mostInTable).map { Row($0, named: true) } : [])
    }

    /// The sums of a business day, of all stores or of one.
    init(day: String, of ledger: any Ledger, store: String? = nil) async throws(LedgerError) {
        let filter = SalesFilter(from: day, to: day, storeId: store)
        self.init(
            day: day, total: try await ledger.sales(by: .day, filter).map { Row($0, named: false) },
            stores: try await ledger.sales(by: .store, filter).ended(at: [SalesRow].mostInTable)
                .map { Row($0, named: true) },
            tenders: try await ledger.sales(by: .tender, filter).ended(at: [SalesRow].mostInTable)
                .map { Row($0, named: true) })
    }
}

extension SalesSummary.Row {
    /// One row for each currency.
    fileprivate static func sums(of rows: [SalesRow]) -> [SalesSummary.Row] {
        Dictionary(grouping: rows, by: \.currency).sorted { $0.key < $1.key }.map { currency, rows in
            func sum(_ value: (SalesRow) -> Int128) -> Int64 { Int64(clamping: rows.map(value).reduce(0, +)) }
            return SalesSummary.Row(
                key: "", currency: currency, orders: sum(\.orders), gross: sum(\.gross),
                discounts: sum(\.discounts), refunds: sum(\.refunds), net: sum(\.net), tax: sum(\.tax))
        }
    }

    fileprivate init(_ row: SalesRow, named: Bool) {
        // Sums too large for a number that travels are the nearest one that does.
        let json = row.json
        func sum(_ name: String) -> Int64 { json[name]?.integer ?? 0 }
        self.init(
            key: named ? row.key.compactMap(\.self).joined(separator: " ") : "", currency: row.currency,
            orders: sum("orders"), gross: sum("gross"), discounts: sum("discounts"),
            refunds: sum("refunds"), net: sum("net"), tax: sum("tax"), isOthers: row.isOthers)
    }
}
