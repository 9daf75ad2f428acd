import Base

internal import Dashboard
internal import Glibc
internal import HubCore
internal import HubProtocol
internal import HubStore

/// The page of `/metrics`: what this process counted, and what engine and store hold when a collector
/// queries.
///
/// The terminals are those of the dashboard, of which only what changed is read. Kept up to date at every
/// change instead, a decision that only depends on time would be late by as long as nobody queries the
/// engine.
struct CollectedFigures: Sendable {
    let own: HubFigures
    /// Nil without the role `qos`.
    let engine: QoSEngine?
    /// Nil without the role `sync`.
    let ledger: (any Ledger)?
    /// Has the terminals in memory.
    let reader: FleetReader
    let condition: HubCondition
    /// Milliseconds since 1970.
    let now: @Sendable () -> Int64

    /// A store that fails takes only its own figures from the page: the others are wanted most then.
    func page() async -> MetricPage {
        var page = own.page
        ProcessFigures().add(to: &page)
        ConditionFigures(condition: condition).add(to: &page)
        page.declare(Self.available, .gauge, "Whether the stores of this process could be read just now.")
        var isAvailable = true
        if let engine {
            do throws(LedgerError) {
                let services = try await engine.status()["services"]?.array ?? []
                ServiceFigures(services: services).add(to: &page)
            } catch {
                isAvailable = false
            }
        }
        if let ledger {
            do throws(LedgerError) {
                try await addOpen(of: ledger, to: &page)
                if let (fleet, reports) = await reader.figures() {
                    TerminalFigures(fleet: fleet, pushes: reports.pushes, now: now()).add(to: &page)
                } else {
                    isAvailable = false
                }
                TokenFigures(operators: try await ledger.operators()).add(to: &page)
            } catch {
                isAvailable = false
            }
        }
        page.add(Self.available, isAvailable ? 1 : 0)
        return page
    }

    /// An alarm stands for a day of one kind at one terminal.
    private func addOpen(of ledger: any Ledger, to page: inout MetricPage) async throws(LedgerError) {
        page.declare(Self.alarms, .gauge, "Alarms that nobody has acknowledged.")
        for row in try await ledger.rows(of: BackOfficeQuery.openAlarmCounts) {
            page.add(Self.alarms, Double(row.integer("count") ?? 0), [("kind", row.text("kind") ?? "")])
        }
        page.declare(Self.refused, .gauge, "Refused mutations that nobody has resolved.")
        let refused = try await ledger.rows(of: BackOfficeQuery.openRefusalCount).first
        page.add(Self.refused, Double(refused?.integer("count") ?? 0))
        page.declare(Self.debts, .gauge, "Cards taken offline, refused afterwards and settled by nobody.")
        let debts = try await ledger.rows(of: BackOfficeQuery.openDebtCount).first
        page.add(Self.debts, Double(debts?.integer("count") ?? 0))
        page.declare(Self.disputed, .gauge, "Shifts whose sums are not those of the hub's journal.")
        let disputed = try await ledger.rows(of: ShiftQuery.disputedCount).first
        page.add(Self.disputed, Double(disputed?.integer("count") ?? 0))
    }

    private static let available = "holdfast_store_available"
    private static let alarms = "holdfast_alarms_open"
    private static let refused = "holdfast_refused_open"
    private static let debts = "holdfast_debts_open"
    private static let disputed = "holdfast_shifts_disputed"
}

/// The decisions on the services.
private struct ServiceFigures {
    /// As operators see them.
    let services: [JSONValue]

    private static let state = "holdfast_service_state"
    private static let scopes = "holdfast_service_scopes"

    /// A store or terminal is no label: a thousand shops would be a thousand lines of each service.
    func add(to page: inout MetricPage) {
        page.declare(
            Self.state, .gauge,
            "The worst decision on a service among the scopes of a kind: 0 healthy, 1 recovering, 2 faulty.")
        page.declare(Self.scopes, .gauge, "Scopes of a kind in which the service is not healthy.")
        for service in services {
            let name = service["service"]?.string ?? ""
            let scopes = service["scopes"]?.array ?? []
            for kind in ["global", "store", "terminal"] {
                let states = scopes.filter { $0["scope"]?.string == kind }.map { Self.rank($0["state"]) }
                // An operator's override is valid for all and is no scope.
                let overall = kind == "global" ? Self.rank(service["state"]) : 0
                let labels = [("service", name), ("scope", kind)]
                page.add(Self.state, max(overall, states.max() ?? 0), labels)
                page.add(Self.scopes, Double(states.count), labels)
            }
        }
    }

    private static func rank(_ state: JSONValue?) -> Double {
        switch state?.string {
        case "faulty": 2
        case "recovering": 1
        case _: 0
        }
    }
}

/// The terminals and what they reported about themselves.
private struct TerminalFigures {
    let fleet: Fleet
    let pushes: [String: TerminalReports.Pushes]
    /// Milliseconds since 1970.
    let now: Int64

    private static let count = "holdfast_terminals"
    private static let modes = "holdfast_terminal_modes"
    private static let storesAway = "holdfast_stores_away"
    private static let away = "holdfast_store_away_seconds"
    private static let pending = "holdfast_outbox_pending"
    private static let oldest = "holdfast_terminal_outbox_oldest_seconds"
    private static let failures = "holdfast_sync_failure_ratio"

    /// With the line of what has no line of its own; the page adds none then, which would sum up ages and
    /// shares.
    private static let mostKeys = MetricPage.mostKeys - 2

    func add(to page: inout MetricPage) {
        page.declare(Self.count, .gauge, "Enrolled terminals, by the hub's state of them.")
        let unconfirmed = fleet.terminals.count { $0.revokedAt == nil && $0.isUnconfirmed }
        for (state, count) in [
            (TerminalState.confirmed, fleet.active - unconfirmed), (.unconfirmed, unconfirmed),
            (.revoked, fleet.count(.revoked)),
        ] { page.add(Self.count, Double(count), [("state", state.rawValue)]) }
        addModes(to: &page)
        addOutboxes(to: &page)
        addVersions(to: &page)
    }

    /// As the dashboard has them.
    private func addModes(to page: inout MetricPage) {
        page.declare(Self.modes, .gauge, "Terminals that have access, by how they do.")
        for mode in FleetMode.allCases where mode != .revoked {
            page.add(Self.modes, Double(fleet.count(mode)), [("mode", mode.rawValue)])
        }
        page.declare(Self.storesAway, .gauge, "Stores of which no terminal can be reached.")
        page.declare(Self.away, .gauge, "For how long no terminal of a store can be reached.")
        let stores = fleet.storesAway.map {
            (id: $0.id, seconds: Double(now - ($0.awaySince ?? now)) / 1_000)
        }
        .sorted { ($1.seconds, $0.id) < ($0.seconds, $1.id) }
        page.add(Self.storesAway, Double(stores.count))
        for (store, seconds) in stores.prefix(Self.mostKeys).sorted(by: { $0.id < $1.id }) {
            page.add(Self.away, seconds, [("store", store)])
        }
        if stores.count > Self.mostKeys {
            page.add(Self.away, stores[Self.mostKeys].seconds, [("store", MetricPage.others)])
        }
    }

    /// By the last report of each terminal that is not revoked; an entry grows older since then too.
    private func addOutboxes(to page: inout MetricPage) {
        page.declare(Self.pending, .gauge, "Entries that terminals still had to send at their last report.")
        page.declare(
            Self.oldest, .gauge,
            "Age of the oldest entry that a terminal still has to send: of all, and of a store's terminals.")
        var pending = 0.0
        var ages: [String: Double] = [:]
        for store in fleet.stores where store.pending > 0 {
            pending += Double(store.pending)
            ages[store.id] = Double(store.oldestAge(at: now) ?? 0) / 1000
        }
        page.add(Self.pending, pending)
        page.add(Self.oldest, ages.values.max() ?? 0)
        // The stores with the oldest entries have lines of their own, and one stands for all others.
        let ranked = ages.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (store, age) in ranked.prefix(Self.mostKeys).sorted(by: { $0.key < $1.key }) {
            page.add(Self.oldest, age, [("store", store)])
        }
        if ranked.count > Self.mostKeys {
            page.add(Self.oldest, ranked[Self.mostKeys].value, [("store", MetricPage.others)])
        }
    }

    private func addVersions(to page: inout MetricPage) {
        page.declare(
            Self.failures, .gauge, "Share of the pushes of a terminal's version that failed, from 0 to 1.")
        let most = pushes.sorted { ($1.value.attempts, $0.key) < ($0.value.attempts, $1.key) }
        // A version is the terminal's own text.
        var shown = most.prefix(Self.mostKeys).sorted { $0.key < $1.key }
        let others = most.dropFirst(Self.mostKeys).map(\.value)
        if !others.isEmpty {
            let sums = others.reduce(into: TerminalReports.Pushes()) {
                $0.attempts += $1.attempts
                $0.successes += $1.successes
            }
            shown.append((key: MetricPage.others, value: sums))
        }
        for (version, count) in shown {
            let failed = Double(count.attempts - count.successes) / Double(count.attempts)
            page.add(Self.failures, failed, [("version", version)])
        }
    }
}

/// The process itself, under the names that collectors have for every program.
private struct ProcessFigures {
    func add(to page: inout MetricPage) {
        page.declare("process_cpu_seconds_total", .counter, "Processor time of this process.")
        page.declare("process_resident_memory_bytes", .gauge, "Resident memory of this process.")
        page.declare("process_open_fds", .gauge, "Open descriptors of this process.")
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            let times = [usage.ru_utime, usage.ru_stime]
            page.add(
                "process_cpu_seconds_total",
                times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 })
        }
        if let pages = Self.residentPages {
            page.add("process_resident_memory_bytes", Double(pages) * Double(sysconf(Int32(_SC_PAGESIZE))))
        }
        if let count = Self.openDescriptors { page.add("process_open_fds", Double(count)) }
    }

    /// The second number of `/proc/self/statm` (proc(5)).
    private static var residentPages: Int? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let numbers = text.split(separator: " ")
        return numbers.count > 1 ? Int(numbers[1]) : nil
    }

    private static var openDescriptors: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // The folder's own descriptor, `.` and `..`.
        return count - 3
    }
}

extension CollectedFigures {
    /// The page of Prometheus' text format; it is made anew for each request, since a collector reads it once
    /// in some seconds.
    ///
    /// - Parameter isOpen: no login is needed: on the local socket, and with `ops.open`.
    func route(isOpen: Bool) -> Route {
        Route(.get, "/metrics", isOpen ? .page : .operator(.readOperations)) { _ in
            HubResponse(
                status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
                body: Array(await page().text.utf8))
        }
    }
}
