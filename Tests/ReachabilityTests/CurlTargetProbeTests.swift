import Foundation
import LinuxNetwork
import OfflineCore
import TestKit
import Testing

@testable import Reachability
import LinuxRuntime
import MachineRuntime

@Suite("Probe of a target, over real sockets", .serialized, .timeLimit(.minutes(2)))
struct CurlTargetProbeTests {
    private let server: ScriptedServer

    init() throws {
        server = try ScriptedServer()
    }

    @Test(
        "over http any response below 500 counts, but not a redirect to another host or a portal's status",
        arguments: [
            (200, [:], true), (404, [:], true), (401, [:], true), (302, ["Location": "/login"], true),
            (302, ["Location": "http://portal.example/login?from=here"], false), (511, [:], false),
        ])
    func anyResponse(status: Int, headers: [String: String], isGood: Bool) async {
        server.on("/", .status(status, headers: headers))
        let result = await probe(ReachabilityProbe(server.url + "/"))
        if case .good = result { #expect(isGood) } else { #expect(!isGood) }
        if case .portal = result { #expect(!isGood) }
    }

    @Test("a 5xx means a host that responds and is not healthy")
    func serverError() async {
        server.on("/", .status(503))
        guard case .respondedBadly(503, _) = await probe(ReachabilityProbe(server.url + "/")) else {
            Issue.record("not taken for a server's trouble")
            return
        }
    }

    @Test("a response without the expected body or status is a foreign one")
    func expectations() async {
        server.on("/", .body("<html>sign in</html>"))
        #expect(
            await probe(ReachabilityProbe(server.url + "/", expecting: .body("success")))
                == .portal(.foreignBody))
        #expect(
            await probe(ReachabilityProbe(server.url + "/", expecting: .status(204)))
                == .portal(.foreignBody))
        server.on("/", .body("success\n"))
        guard case .good = await probe(ReachabilityProbe(server.url + "/", expecting: .body("success")))
        else {
            Issue.record("the expected body is not taken")
            return
        }
    }

    @Test("a blocked address confirms no fault while another one responds; an idle network costs one request")
    func several() async throws {
        server.on("/", .status(204))
        let other = try ScriptedServer()
        other.on("/", .status(204))
        let good = [ReachabilityProbe(server.url + "/"), ReachabilityProbe(other.url + "/")]
        guard case .good = await probe(good) else {
            Issue.record("two that answer are no answer")
            return
        }
        #expect(other.requests.isEmpty)
        server.on("/", .stall)
        for blocked in ["http://127.0.0.1:1", server.url + "/"] {
            guard case .good = await probe([ReachabilityProbe(blocked), ReachabilityProbe(other.url + "/")])
            else {
                Issue.record("\(blocked) confirmed")
                continue
            }
        }
    }

    @Test("when all fail a portal has priority over silence")
    func allFail() async {
        server.on("/", .status(511))
        let result = await probe([
            ReachabilityProbe("http://127.0.0.1:1"), ReachabilityProbe(server.url + "/"),
        ])
        #expect(result == .portal(.foreignBody))
    }

    @Test("a monitor of a real host on loopback checks it on request and follows its changes")
    func monitor() async throws {
        server.on("/", .status(204))
        var settings = ReachabilitySettings()
        settings.debounce = .seconds(1)
        let monitor = try ReachabilityMonitor(host: server.url + "/", settings: settings)
        let status = await monitor.check()
        #expect(status.state == .reachable)
        #expect(status.latency != nil)
        monitor.start()
        _ = await monitor.first { $0.isReachable }
        server.stop()
        monitor.retry()
        #expect(await monitor.first { $0.state == .unreachable && $0.isSettled } != nil)
        monitor.stop()
    }

    @Test("a hundred starts and stops over real sockets leave no thread behind")
    func noLeaks() async throws {
        server.on("/", .status(204))
        let monitors = try (0..<3).map { _ in try ReachabilityMonitor(host: server.url + "/") }
        for _ in 0..<100 {
            for monitor in monitors { monitor.start() }
            for monitor in monitors { monitor.stop() }
        }
        for monitor in monitors { monitor.start() }
        for monitor in monitors { #expect(await monitor.first { $0.isReachable } != nil) }
        #expect(await eventually { Self.threads == 1 })
        for monitor in monitors { monitor.stop() }
        #expect(await eventually(within: 30) { Self.threads == 0 })
    }

    /// How many threads serve monitors in this process.
    private static var threads: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "reachability\n"
        }
    }

    private func probe(_ probe: ReachabilityProbe) async -> ProbeResult { await self.probe([probe]) }

    private func probe(_ probes: [ReachabilityProbe]) async -> ProbeResult {
        await CurlTargetProbe(
            target: probes.compactMap(\.readable), independent: [],
            transport: SharedTransport.take(caFile: nil), time: LinuxSystemTime()
        ).probe(.hub, timeout: .seconds(4))
    }
}

extension ScriptedResponse {
    fileprivate static func status(_ status: Int, headers: [String: String] = [:]) -> ScriptedResponse {
        whole(status, type: "text/plain", headers: headers, body: "")
    }

    fileprivate static func body(_ body: String) -> ScriptedResponse {
        whole(200, type: "text/plain", body: body)
    }
}
