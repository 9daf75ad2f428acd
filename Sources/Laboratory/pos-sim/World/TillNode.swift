import Agent
import AgentAPI
import Base
import CurlHTTP
import Foundation
import HubProtocol
import LinuxNetwork
import LinuxRuntime
import MachineRuntime
import OfflineCore
import OfflineMode
import PinnedTLS

/// A till: the agent that `pos agent` runs, on files, with the clocks and the link of a world.
@MainActor
final class TillNode {
    let number: Int
    let link: Link
    let time: SimulatedTime
    let terminal: CardTerminal
    /// Carts whose customers left before anybody knew what became of their card.
    var unknownCards: [String] = []
    let world: World
    private let loop: EventLoop
    private let home: TerminalHome
    private var agent: (any AgentConnection)?
    private var calls = 0
    /// Its database was put back: what it says of the time before is not compared.
    var isRolledBack = false
    /// That lost entries which the hub has.
    var isForked = false
    /// It is being started or ended.
    private var isChanging = false
    private var watch: Task<Void, Never>?
    private(set) var startedAt: Int64 = 0
    /// When it began to look at its line anew: it was started, or its machine woke up.
    private(set) var lastBegin: Int64 = 0
    /// Follows the run's state.
    private(set) var view: StatusView?
    /// Since when it is offline, and the longest that it was, in milliseconds.
    private var offlineSince: Int64?
    /// Since when the stream of its status has ended each time before it said anything.
    private var unseenSince: Int64?
    private(set) var longestOffline: Int64 = 0
    /// When its disk began to fail, or was whole again.
    private(set) var lastDiskChange: Int64 = -10_000_000
    /// Grows with each end of the process: a response of the one before is none.
    private(set) var generation = 0
    /// The id that the hub gave it; nil before the enrolment.
    private(set) var terminalId: String?

    init(_ world: World, number: Int, folder: String, loop: EventLoop) {
        (self.world, self.number, self.loop) = (world, number, loop)
        time = SimulatedTime(loop: loop)
        link = Link(world, number: number, seed: world.schedule.seed &+ UInt64(number) &* 77, time: time)
        terminal = CardTerminal(
            world, till: number, seed: world.schedule.seed &+ UInt64(number) &* 91, time: time)
        home = TerminalHome(path: "\(folder)/till-\(number)")
    }

    var storeId: String { world.schedule.store(of: number) }
    var isUp: Bool { agent != nil }
    var name: String { "till \(number)" }

    private var launch: TerminalLaunch {
        TerminalLaunch(
            home: home, configurationPath: home.configuration, environment: [:], loop: loop,
            context: SimulatedContext(
                link: link, terminal: terminal, time: time,
                neighbours: world.schedule.hasNeighbours
                    ? TillNetwork(network: world.network, till: number, time: time) : nil))
    }

    /// Enrols it and starts its agent.
    func enrol(_ settings: [String: Int]) async throws {
        let result = try await launch.initialise(
            EnrolmentCommand(
                hubURL: "https://hub.test", code: try await world.hub.code(of: storeId), name: name,
                allowInsecure: false
            ))
        terminalId = result.terminalId
        var groups: [String: [String: Int]] = [:]
        for (key, value) in settings {
            let parts = key.split(separator: ".").map(String.init)
            groups[parts[0], default: [:]][parts[1]] = value
        }
        var document: [String: Any] = groups
        document["hub"] = ["url": "https://hub.test"]
        document["store"] = ["timeZone": "UTC"]
        if world.schedule.hasNeighbours {
            document["neighbours"] = [
                "addresses": (0..<world.schedule.tills).map { StoreNetwork.address(of: $0).host }
            ]
        }
        if world.schedule.hasCards {
            document["cardMachine"] =
                world.schedule.speaksZVT
                ? ["kind": "zvt", "address": CardTerminal.place]
                : ["kind": "nexo", "address": CardTerminal.url, "poiId": CardTerminal.poiId]
        }
        try JSONSerialization.data(withJSONObject: document, options: .sortedKeys)
            .write(to: URL(fileURLWithPath: home.configuration))
        try await start()
    }

    func start() async throws {
        while isChanging || FailingDisk.fails(under: home.path) { await pause() }
        guard agent == nil else { return }
        isChanging = true
        defer { isChanging = false }
        link.started()
        let agent = try await launch.connect(readingOnly: false, serving: true)
        self.agent = agent
        (startedAt, lastBegin) = (Trace.now, Trace.now)
        world.trace.note(name, "up")
        let mine = generation
        let view = StatusView(world, self)
        self.view = view
        watch = Task { [world] in
            while mine == generation, !Task.isCancelled {
                for await status in agent.watchStatus() { view.see(status) }
                // Who watches comes back when the agent has ended its stream.
                world.trace.note(name, "ends the stream of its status")
                unseenSince = unseenSince ?? Trace.now
                // A till whose disk fails ends each at once, for an hour.
                try? await time.sleep(until: time.now() + .seconds(1))
            }
        }
    }

    /// Its status says so. It may have been offline since nobody could see it.
    func saw(isOffline: Bool) {
        let since = offlineSince ?? unseenSince
        if let since { longestOffline = max(longestOffline, Trace.now - since) }
        offlineSince = isOffline ? since ?? Trace.now : nil
        unseenSince = nil
    }

    /// Its machine slept for so long, which the world's clock does not show.
    func wake(after duration: Duration) {
        time.wake(after: duration)
        lastBegin = Trace.now
        offlineSince = offlineSince.map { $0 - duration.wholeMilliseconds }
        unseenSince = unseenSince.map { $0 - duration.wholeMilliseconds }
    }

    private func pause() async { try? await time.sleep(until: time.now() + .milliseconds(100)) }

    /// The agent is ended in order.
    func stop() async {
        guard let agent else { return }
        isChanging = true
        defer { isChanging = false }
        self.agent = nil
        generation += 1
        watch?.cancel()
        await agent.close()
        world.trace.note(name, "ended")
    }

    /// The process is gone at this moment: its files stay as they are now.
    ///
    /// - Parameter cut: the power cut that ends it; nil: the machine goes on, and has all that was written.
    func kill(by cut: PowerCut? = nil) async throws {
        guard let agent else { return }
        isChanging = true
        defer { isChanging = false }
        self.agent = nil
        generation += 1
        watch?.cancel()
        link.cut()
        world.network.cut(number)
        terminal.isCutOff = true
        defer { terminal.isCutOff = false }
        var cut = cut
        let image = try DiskImage(of: home.path, after: &cut)
        await agent.close()
        try image.putBack()
        world.trace.note(name, "killed" + (cut.map { ", \($0.lost) writes lost" } ?? ""))
    }

    /// Whether the till's disk can be written just now.
    var hasDisk: Bool { !FailingDisk.fails(under: home.path) }

    func setDisk(failing error: Int32?) {
        FailingDisk.set(under: home.path, failing: error)
        lastDiskChange = Trace.now
    }

    /// Damages what the till has kept of being switched off.
    func damageFlag() throws {
        try Data("{\"since\":".utf8).write(to: URL(fileURLWithPath: home.path + "/manual-offline.json"))
    }

    /// The database as it is now, without the files beside it.
    func databaseImage() throws -> DiskImage {
        var cut: PowerCut?
        return try DiskImage(of: home.path, only: "terminal.sqlite", after: &cut)
    }

    /// Writes other bytes over a third of the database's newer pages; the till does not run. The older ones
    /// have who the till is: without them it is enrolled again, as another one.
    func damageDatabase(_ seed: UInt64) throws {
        var draw = SplitMix64(seed: seed)
        guard let file = FileHandle(forUpdatingAtPath: home.path + "/terminal.sqlite") else {
            throw WorldError("no database")
        }
        let end = try file.seekToEnd() / 4096
        for page in end / 2..<end where draw.below(3) == 0 {
            try file.seek(toOffset: page * 4096)
            try file.write(contentsOf: (0..<4096).map { _ in UInt8(draw.below(256)) })
        }
        try file.close()
    }

    /// The file that `pos sync export` writes, in plain text; the till does not run.
    func export() async throws -> [UInt8] {
        let file = "\(home.path).export"
        let written = try await launch.exportJournal(to: file, plainReason: "simulated")
        world.trace.note(name, "exports \(written.entries) entries")
        return Array(FileManager.default.contents(atPath: file) ?? Data())
    }

    /// Does what `pos repair` does.
    func repair() async throws {
        switch try await launch.repair() {
        case .notDamaged: world.trace.note(name, "is not damaged")
        case .repaired(let report, let epoch, _):
            world.trace.note(name, "repaired with \(report.lostCount) lost entries, epoch \(epoch)")
        }
    }

    /// Whether nobody waits for a response of it.
    var isIdle: Bool { calls == 0 }

    /// What became of a call.
    enum Outcome<Value> {
        case done(Value)
        /// The till refused it, with a code.
        case refused(String)
        /// The till was gone before it responded: nobody knows.
        case unknown
    }

    /// Sends a call as a front end does. Nobody waits for longer than five minutes.
    ///
    /// - Parameter isLong: whether it may take longer, as what depends on the line.
    func call<Call: AgentCall>(_ call: Call, isLong: Bool = false) async -> Outcome<Call.Response> {
        guard let agent else { return .unknown }
        let mine = generation
        calls += 1
        defer { calls -= 1 }
        let response = await withDeadline(time.now() + .seconds(300), on: time, cancels: false) {
            () async -> Result<AgentResponse, TerminalError> in
            do throws(TerminalError) {
                return .success(try await agent.call(call.request))
            } catch {
                return .failure(error)
            }
        }
        guard mine == generation else { return .unknown }
        guard let response else {
            if !isLong {
                world.fail(
                    "a till responds in time",
                    "\(name) did not respond to \(call.request.path) for five minutes")
            }
            return .unknown
        }
        switch response {
        case .failure(let error): return .refused(error.code)
        case .success(let response):
            if let error = response.error { return .refused(error.code) }
            guard let value = try? call.response(in: response) else { return .refused("unreadable") }
            return .done(value)
        }
    }
}

/// The context of a till in a world.
private struct SimulatedContext: TerminalContext {
    let link: Link
    let terminal: CardTerminal
    let simulated: SimulatedTime
    let neighbours: (any NeighbourNetwork)?

    init(
        link: Link, terminal: CardTerminal, time: SimulatedTime, neighbours: (any NeighbourNetwork)?
    ) {
        (self.link, self.terminal, simulated, self.neighbours) = (link, terminal, time, neighbours)
    }

    var time: any SystemTime { simulated }
    var hasPrograms: Bool { false }
    var hasThreads: Bool { false }

    func session(caFile: String?) throws(TerminalError) -> any HTTPSession {
        LinkSession(link, terminal)
    }

    func connect(to device: DeviceAddress, within limit: Duration) async -> (any DeviceLine)? {
        await terminal.connect().map { TillLine($0) }
    }

    func way(to hub: ServerURL, _ configuration: PathConfiguration) -> HubWay {
        HubWay(monitor: LinkPaths(link: link), pinger: LinkPinger(link: link))
    }
}

private struct LinkPaths: HubPathWatching {
    let link: Link
    func paths() -> AsyncStream<HubPaths> { link.pathStream }
}

private struct LinkPinger: HubPinging {
    let link: Link
    func ping(timeout: Duration) async -> PingResult { await link.ping(timeout: timeout) }
    func use(_ binding: PathBinding) {}
}
