import AgentAPI
import Base
import Foundation
import HubProtocol
import HubServer
import LinuxRuntime
import MachineRuntime
import OfflineCore

/// A shop from its first day to the audit behind its last one: a hub, its tills, who works at them, and what
/// happens to them.
@MainActor
final class World {
    let schedule: Schedule
    let trace: Trace
    let book = Book()
    let members: MemberBook
    private(set) lazy var network = StoreNetwork(self)
    private(set) lazy var hub = HubNode(self, folder: folder)
    private(set) var tills: [TillNode] = []
    private(set) lazy var checks = Checks(self)
    var sales = 0
    /// Requests of card machines that a person decided.
    var decided: Set<String> = []
    private(set) var failures: [Failure] = []
    private(set) var fired: [FaultKind: Int] = [:]
    /// No cashier begins anything more.
    private(set) var isOver = false
    private let loop: EventLoop
    private let folder: String
    /// Ends the world with what is known of it.
    private let end: @MainActor (World) -> Never

    /// What did not hold.
    struct Failure: Codable, Hashable {
        let invariant: String
        /// Milliseconds since the world began.
        let at: Int64
        let detail: String
    }

    /// - Parameters:
    ///   - folder: exists and is empty.
    ///   - end: what happens when the world is over.
    init(
        _ schedule: Schedule, folder: String, loop: EventLoop, isShown: Bool,
        end: @escaping @MainActor (World) -> Never
    ) {
        (self.schedule, self.loop, self.folder, self.end) = (schedule, loop, folder, end)
        trace = Trace(isShown: isShown)
        members = MemberBook(count: schedule.members ?? 0)
        tills = (0..<schedule.tills).map { TillNode(self, number: $0, folder: folder, loop: loop) }
    }

    func fail(_ invariant: String, _ detail: String) {
        trace.note("check", "FAILED \(invariant): \(detail)")
        if failures.count < 20 {
            failures.append(Failure(invariant: invariant, at: Trace.now, detail: detail))
        }
        // A planted bug is found.
        if schedule.plant != nil { end(self) }
    }

    /// All files of its hub and its tills.
    var files: [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { folder + "/" + $0 }
    }

    func count(_ kind: FaultKind) { fired[kind, default: 0] += 1 }

    /// A till refused something with `code`, since its disk fails.
    func countDisk(at till: TillNode, _ code: String) {
        count(FailingDisk.isFull ? .diskFull : .diskError)
        trace.note(till.name, "refuses with \(code)")
    }

    /// Lives through the schedule.
    func run() async -> Never {
        await lead()
        end(self)
    }

    private func lead() async {
        do {
            try await hub.start()
            try await hub.importArticles(book.priceList)
            try await openAccounts()
            if schedule.hasNeighbours { try await turnOnNeighbours() }
            if let people = schedule.people { try await hub.importList("cashiers", Cashier.list(of: people)) }
            try hub.backUp()
            for till in tills { try await till.enrol(schedule.settings) }
            try hub.backUp()
            if let images = schedule.images {
                PowerCutImages.begin(images, in: folder + "/image.sqlite", seed: schedule.seed)
            }
            await live()
            PowerCutImages.end()
            for failure in PowerCutImages.current?.failures ?? [] {
                fail("a power cut takes nothing that was confirmed", failure)
            }
            try await heal()
        } catch {
            return fail("the world goes on", "\(error)")
        }
        await converge()
        // The hub compares shifts behind the last entry.
        await wait(until: Trace.now + 900_000)
        await checks.audit()
        trace.note("check", "\(checks.promised) acknowledged sales were looked up")
        for till in tills { await till.stop() }
    }

    /// What members need at the hub.
    private func openAccounts() async throws {
        guard schedule.members != nil else { return }
        for list in members.lists { try await hub.importList(list.kind, list.text) }
        for store in Set(tills.map(\.storeId)).sorted() {
            try await hub.perform(
                .changeStoreSettings(
                    storeId: store,
                    ["points.earnEveryMinor": .integer(MemberBook.earnEvery), "points.valueMinor": 1]))
        }
    }

    /// Tills of a store see each other.
    private func turnOnNeighbours() async throws {
        for store in Set(tills.map(\.storeId)).sorted() {
            try await hub.perform(
                .changeStoreSettings(storeId: store, ["neighbours.enabled": "on"]))
        }
    }

    private func wait(until milliseconds: Int64) async {
        let now = LinuxSystemTime().now()
        try? await LinuxSystemTime(.awake, loop: loop)
            .sleep(until: now + .milliseconds(max(0, milliseconds - Trace.now)))
    }

    /// The safety phase: every day of the schedule.
    private func live() async {
        let faults = Task { await self.play(self.schedule.faults) }
        for day in 0..<schedule.days {
            let opening = Int64(day) * 86_400_000
            await wait(until: opening)
            await withTaskGroup(of: Void.self) { group in
                for till in tills {
                    group.addTask {
                        await Cashier(self, till).work(
                            until: opening + Int64(self.schedule.hours) * 3_600_000)
                    }
                }
            }
            if day + 1 < schedule.days { await night(until: opening + 86_400_000) }
        }
        isOver = true
        await faults.value
    }

    /// Tills and hub are switched off, so that nothing happens until the morning.
    private func night(until morning: Int64) async {
        do {
            for till in tills { await till.stop() }
            try hub.backUp()
            await wait(until: Trace.now + 60_000)
            try hub.kill()
            await wait(until: morning - 120_000)
            try await hub.start()
            for till in tills { try await till.start() }
        } catch {
            fail("the world goes on", "\(error)")
        }
    }

    /// Everything that was broken is whole again.
    private func heal() async throws {
        trace.note("world", "heals")
        if !hub.isUp { try await hub.start() }
        for till in tills { try await till.start() }
    }

    /// The liveness phase: all has to come to rest within ``longestRest``.
    private func converge() async {
        let begin = Trace.now
        var waiting: String?
        while Trace.now - begin < Self.longestRest {
            await wait(until: Trace.now + 60_000)
            waiting = nil
            for till in tills where await till.dropUnknownCards() > 0 {
                waiting = "\(till.name) has cards of which nobody knows what became"
            }
            waiting = await checks.waiting() ?? waiting
            guard waiting != nil else {
                return trace.note("world", "rests after \((Trace.now - begin) / 60_000) min")
            }
        }
        for till in tills {
            guard case .done(let sync) = await till.call(SyncStatusCall()) else { continue }
            trace.note(till.name, "waits: \(sync.json.canonicalText.prefix(600))")
        }
        fail(
            "everything comes to rest",
            "not within \(Self.longestRest / 60_000) minutes after all was healed: \(waiting ?? "")")
    }

    /// Twice the longest backoff of a schedule, and a pull: milliseconds.
    private static let longestRest: Int64 = 3 * 3_600_000
}
