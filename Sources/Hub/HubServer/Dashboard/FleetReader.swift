internal import Dashboard
internal import HubCore
internal import HubProtocol
internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// What the dashboard shows, read beside the requests: a page is made of what is in memory, so that it comes
/// at once with ten thousand terminals, and while the store does not respond.
///
/// Nothing is read while nobody looks.
actor FleetReader: Service {
    /// What a page is made of.
    struct HubSummary: Sendable {
        var fleet: Fleet
        var services: [ServiceSummary] = []
        var sales: SalesSummary
        var stores = StoreDirectory()
        /// When nothing was known of services, in milliseconds since 1970.
        var unknown: [ClosedRange<Int64>] = []
        var records = RecordSummary()
        /// What it shows, for events.
        var marks = ChangeMarks()
        /// Since when reading fails; nil while it does not. Milliseconds since 1970.
        var awaySince: Int64?
    }

    private let ledger: (any Ledger)?
    private let engine: QoSEngine?
    private let live: LiveEvents
    private let now: @Sendable () -> Int64
    private let logger: Logger

    private var summary: HubSummary
    private var reports = TerminalReports()
    private var terminals: (mark: String, records: [TerminalRecord]) = ("", [])
    private var lastMutations: [String: Int64] = [:]
    /// The moment of the last reading; nil before the first. Milliseconds since 1970.
    private var fleetReadAt: Int64?
    private let startedAt: Int64
    /// Nil before the first reading.
    private var downtimes: [ClosedRange<Int64>]?
    private var readAt: ContinuousClock.Instant?
    private var mutationsReadAt: ContinuousClock.Instant?
    private var salesReadAt: ContinuousClock.Instant?
    private var visitedAt: ContinuousClock.Instant?
    private var reading: Task<Void, Never>?

    /// What is older is read anew for a visitor, who waits for it ``longestWait`` at most.
    private static let freshness: Duration = .seconds(1)
    /// Half of what the first byte may take; the event that the reading is done brings the rest.
    private static let longestWait: Duration = .milliseconds(50)
    /// The first visitor of all waits for something to see, and so does one after a while without any:
    /// figures of the last visitor's hour would be shown beside the time of now.
    private static let firstWait: Duration = .seconds(5)
    /// What is older counts as nothing to see. Twice as much is more than the "some seconds" that the page
    /// promises; half would be reached on a busy machine by a page that loads itself anew.
    private static let oldest: Duration = .seconds(10)
    /// How often what somebody looks at is read anew: an update is to be there within a second of its cause.
    /// Ten thousand terminals cost some 50 ms of one core each time.
    private static let interval: Duration = .milliseconds(750)
    /// Somebody looks for so long after a page.
    private static let attention: Duration = .seconds(60)
    /// The newest mutation of each terminal costs a look-up for each; telemetry, which is read every time,
    /// comes with every batch and shows the same contact.
    private static let mutationsInterval: Duration = .seconds(60)
    /// The sums of a day of three hundred shops cost a tenth of a second; what stores set seldom changes.
    private static let salesInterval: Duration = .seconds(15)
    /// A plot shows a day; a week is there for whoever draws a longer one.
    private static let downtimesKept: Int64 = 7 * 86_400_000

    init(
        ledger: (any Ledger)?, engine: QoSEngine?, live: LiveEvents, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.ledger = ledger
        self.engine = engine
        self.live = live
        self.now = now
        self.logger = logger
        startedAt = now()
        summary = HubSummary(
            fleet: Fleet([], at: now()), sales: SalesSummary(day: StoreClock.utc.day(at: now())))
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Ten thousand terminals take a while the first time, which no visitor should wait for.
            _ = await self.current()
            while (try? await Task.sleep(for: Self.interval)) != nil { await self.tick() }
        }
        live.end()
    }

    private func tick() async {
        let isWatched =
            live.hasReaders || visitedAt.map { ContinuousClock.now - $0 < Self.attention } ?? false
        if isWatched {
            startReading()
            await reading?.value
        }
        live.beat()
    }

    /// What to show a visitor now.
    func current() async -> HubSummary {
        visitedAt = .now
        if let readAt, ContinuousClock.now - readAt < Self.freshness { return summary }
        startReading()
        let isOld = readAt.map { ContinuousClock.now - $0 > Self.oldest } ?? true
        await waited(for: isOld ? Self.firstWait : Self.longestWait)
        return summary
    }

    /// What a collector gets, as it is now; nil while it cannot be read. Whoever collects does not count as
    /// somebody who looks.
    func figures() async -> (fleet: Fleet, reports: TerminalReports)? {
        await readAgain()
        return summary.awaySince == nil ? (summary.fleet, reports) : nil
    }

    /// Reads what a form has changed just now.
    func readAgain() async {
        await reading?.value
        startReading()
        await reading?.value
    }

    private func startReading() {
        guard reading == nil else { return }
        reading = Task {
            await read()
            reading = nil
        }
    }

    /// Waits for the reading, but not longer than `limit`.
    private func waited(for limit: Duration) async {
        guard let reading else { return }
        let (ends, end) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let notice = Task {
            await reading.value
            end.finish()
        }
        let alarm = Task {
            try? await Task.sleep(for: limit)
            end.finish()
        }
        for await _ in ends {}
        notice.cancel()
        alarm.cancel()
    }

    private func read() async {
        var next = summary
        let before = summary
        do {
            next.fleet = try await readFleet()
            next.services = try await readServices()
            next.unknown = try await readDowntimes(of: next.fleet)
            if let ledger, salesReadAt.map({ ContinuousClock.now - $0 > Self.salesInterval }) ?? true {
                next.stores = try await StoreDirectory(of: ledger)
                next.sales = try await SalesSummary(of: ledger, in: next.stores, at: now())
                salesReadAt = .now
            }
            if let ledger { next.records = try await RecordSummary(of: ledger) }
            next.fleet.missing = next.records.missing
            next.awaySince = nil
        } catch {
            next.awaySince = summary.awaySince ?? now()
            logger.warning("the dashboard's figures were not read", metadata: ["reason": "\(error)"])
            // The decisions may be there when the store of orders is not.
            if let services = try? await readServices() { next.services = services }
        }
        readAt = .now
        let isSame =
            before.fleet.terminals == next.fleet.terminals && before.fleet.modes == next.fleet.modes
            && before.services == next.services
            && (before.awaySince == nil) == (next.awaySince == nil) && before.sales == next.sales
            && before.stores == next.stores && before.records == next.records
        if !isSame {
            next.marks = ChangeMarks(of: next, terminals.mark)
            live.change(next.marks)
        }
        summary = next
    }

    /// Before the first terminal came, and while no hub was up.
    private func readDowntimes(of fleet: Fleet) async throws(LedgerError) -> [ClosedRange<Int64>] {
        if downtimes == nil, let ledger {
            downtimes = try await ledger.downtimes(until: startedAt, since: startedAt - Self.downtimesKept)
        }
        let first = fleet.firstEnrolledAt ?? startedAt
        return [0...max(0, min(first, startedAt))] + (downtimes ?? [])
    }

    private func readServices() async throws -> [ServiceSummary] {
        guard let engine else { return [] }
        let services = try await engine.status(history: ServiceSummary.historyLimit)["services"]?.array ?? []
        return services.compactMap(ServiceSummary.init(json:))
    }

    /// All terminals as they are now. Without a change the ones of before, since of ten thousand each step
    /// costs milliseconds.
    private func readFleet() async throws -> Fleet {
        guard let ledger else { return Fleet([], at: now()) }
        let time = now()
        let arrived = try await ledger.telemetry(since: TerminalReports.place(behind: fleetReadAt))
        var hasChanged = reports.take(arrived)
        let mark = try await ledger.terminalsMark()
        if mark != terminals.mark {
            terminals = (mark, try await ledger.terminals())
            hasChanged = true
        }
        if mutationsReadAt.map({ ContinuousClock.now - $0 > Self.mutationsInterval }) ?? true {
            let last = try await ledger.lastMutations()
            hasChanged = hasChanged || last != lastMutations
            lastMutations = last
            mutationsReadAt = .now
        }
        fleetReadAt = time
        guard hasChanged else { return summary.fleet.moved(to: time) }
        return Fleet(
            terminals.records.map {
                FleetTerminal($0, reports.last(of: $0.id), lastMutation: lastMutations[$0.id])
            }, at: time)
    }
}
