import Base

internal import AgentAPI
internal import CurlHTTP
internal import HubProtocol
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Pricing
internal import Retail
internal import TerminalStore

/// Plays an outage against this agent: cuts it off, waits until its own detectors have found it offline,
/// prices a basket, and checks the way back. It sells nothing and tries no PIN.
struct OutageDrill: Sendable {
    let control: DrillSwitch
    let offline: OfflineService
    let session: any HTTPSession
    let store: TerminalStores
    let checkout: Checkout
    let periods: any OfflinePeriodRecording
    /// Announces the banner of a drill and its end.
    let revisions: StatusRevisions
    let time: any SystemTime
    /// Of what it finds; English for programs.
    var language = Language.english

    private var texts: any DoctorTexts { language.doctorTexts }

    /// How long an agent that has just started may take to reach the hub before the drill.
    private static let start = Duration.seconds(15)
    /// What the confirmation round may take beyond T1: its 3 s, and as much for a loaded machine.
    private static let confirmation = Duration.seconds(10)
    /// The longest wait for the mode. A T1 above 45 s does not fit into the two minutes that a program waits
    /// for the agent; such a drill fails with that reason.
    private static let longestOutage = Duration.seconds(55)
    /// The way back takes the recovery hold, 10 s by default, and a probe every 2.5 s.
    private static let wayBack = Duration.seconds(40)
    /// For what is left of a drill that was given up: the longest recovery hold is a minute.
    private static let settling = Duration.seconds(120)

    /// The checks of the drill. When the task is cancelled, the agent is connected again at once.
    ///
    /// - Throws: `drill_runs` and `drill_not_online`, both to be tried again later.
    func run() async throws(TerminalError) -> [DoctorCall.Check] {
        guard !offline.status.manual.isOn, await isOnline(within: Self.start) else {
            throw TerminalError(.tryAgain, code: "drill_not_online") { $0.drillNotOnline }
        }
        guard control.begin() else {
            throw TerminalError(.tryAgain, code: "drill_runs") { $0.drillRuns }
        }
        revisions.advance()
        var checks = [await outage()]
        if checks[0].isOk { checks += [await quote(), await recording()] }
        control.setCutOff(false, session)
        offline.retryNow()
        guard !Task.isCancelled else {
            Task { await settle() }
            return checks
        }
        checks.append(await back())
        return checks
    }

    /// Cuts the agent off until its mode is offline.
    private func outage() async -> DoctorCall.Check {
        let begun = time.now()
        control.setCutOff(true, session)
        offline.retryNow()
        let limit = min(offline.status.network.debounce + Self.confirmation, Self.longestOutage)
        let isFound = await becomes(within: limit) { $0.mode == .offline }
        return DoctorCall.Check(
            name: "drill: outage", isOk: isFound,
            detail: isFound
                ? texts.offline(
                    after: seconds(since: begun),
                    offline.status.causes.map(\.rawValue).joined(separator: ", "))
                : texts.notOffline(after: seconds(since: begun)), fix: texts.lowerDebounce, weight: 5)
    }

    /// Prices one piece of an article of the catalogue as the next sale would be priced.
    private func quote() async -> DoctorCall.Check {
        let begun = time.now()
        let fix = texts.importSome
        guard let product = await article() else {
            return DoctorCall.Check(
                name: "drill: quote", isOk: false, detail: texts.nothingToPrice, fix: fix, weight: 5)
        }
        do throws(SaleRefusal) {
            let quote = try await checkout.quote(
                SaleRequest(lines: [EnteredLine(barcode: product.barcode, quantityMilli: 1000)]))
            return DoctorCall.Check(
                name: "drill: quote", isOk: true,
                detail: texts.priced(
                    product.name.printable, AmountText.money(quote.totals.total, quote.currency),
                    milliseconds: (time.now() - begun).wholeMilliseconds), weight: 5)
        } catch {
            return DoctorCall.Check(
                name: "drill: quote", isOk: false, detail: error.text(in: language), fix: fix, weight: 5)
        }
    }

    private func article() async -> Product? {
        // Some barcode has one of these; an empty text would find nothing.
        for digit in ["0", "1", "5"] {
            if let found = try? await store.search.products(matching: digit, limit: 1).first { return found }
        }
        return nil
    }

    private func recording() async -> DoctorCall.Check {
        let problem: String?
        do throws(StorageError) {
            try await store.ledger.checkReadiness()
            problem = nil
        } catch {
            problem = "\(error)"
        }
        return DoctorCall.Check(
            name: "drill: recording", isOk: problem == nil,
            detail: problem ?? texts.canRecord, fix: texts.doctorSaysWhy,
            weight: 5)
    }

    private func back() async -> DoctorCall.Check {
        let begun = time.now()
        let isBack = await isOnline(within: Self.wayBack)
        guard isBack || !Task.isCancelled else {
            Task { await settle() }
            return DoctorCall.Check(name: "drill: way back", isOk: false, detail: texts.givenUp, weight: 5)
        }
        finish(isBack: isBack)
        return DoctorCall.Check(
            name: "drill: way back", isOk: isBack,
            detail: isBack
                ? texts.online(after: seconds(since: begun)) : texts.notOnline(after: seconds(since: begun)),
            fix: texts.lookForOutage,
            weight: 5)
    }

    /// Waits for the way back of a drill whose caller is gone.
    private func settle() async {
        finish(isBack: await isOnline(within: Self.settling))
    }

    private func finish(isBack: Bool) {
        let real = control.end(isBack: isBack)
        if let period = real.period { periods.record(period) }
        if let run = real.run { store.lastRun.save(run) }
        revisions.advance()
    }

    private func isOnline(within limit: Duration) async -> Bool {
        await becomes(within: limit) { $0.mode == .online && $0.network.state == .reachable }
    }

    private func becomes(
        within limit: Duration, _ condition: @escaping @Sendable (ModeStatus) -> Bool
    ) async -> Bool {
        let statuses = offline.statuses()
        let found = await withDeadline(time.now() + limit, on: time) { () -> Bool in
            for await status in statuses where condition(status) { return true }
            return false
        }
        return found ?? false
    }

    /// With one decimal.
    private func seconds(since begun: Instant) -> String {
        let tenths = (time.now() - begun).wholeMilliseconds / 100
        return "\(tenths / 10).\(tenths % 10)"
    }
}
