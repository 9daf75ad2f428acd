import AgentAPI
import Base
import OfflineCore
import OfflineMode
import Testing

@testable import Agent

@Suite("What a till cannot do now")
struct CapabilitiesTests {
    private static let start = Instant(nanoseconds: 0)

    private func status(
        _ causes: [OfflineCause] = [], _ connectivity: ConnectivitySnapshot.State = .online,
        faulty: [String] = []
    ) -> ModeStatus {
        ModeStatus(
            mode: causes.isEmpty ? .online : .offline, since: Self.start, causes: causes,
            manual: ManualStatus(isOn: causes.contains(.manual), since: nil, by: nil, reason: nil),
            network: NetworkStatus(
                state: .reachable, since: Self.start, evidence: [], debounce: .seconds(8), deadline: nil),
            services: faulty.map {
                ServiceStatus(
                    service: $0, isCore: $0 == "order", state: .faulty, since: Self.start, source: .qos,
                    generation: 1)
            },
            connectivity: ConnectivitySnapshot(
                state: connectivity, transport: .ethernet, isMetered: false, isConstrained: false,
                latencyMilliseconds: nil, lastInternetOk: nil, lastBackendOk: nil,
                captivePortalSuspected: false, reason: .none))
    }

    /// What has an obstacle, each as `module:reason`, with `!` where nothing of it works.
    private func obstacles(
        _ status: ModeStatus, takesCards: Bool = true, slow: [String] = [],
        _ change: (inout Capabilities.Stops) -> Void = { _ in }
    ) -> String {
        var stops = Capabilities.Stops()
        change(&stops)
        let capabilities = Capabilities(
            status: status, takesCards: takesCards, slowServices: slow, stops: stops)
        return capabilities.byModule.sorted { $0.key < $1.key }.compactMap { name, capability in
            capability.obstacle.map { "\(name):\($0.reason)" + ($0.stopsAll ? "!" : "") }
        }.joined(separator: " ")
    }

    private func allOfTheHub(_ reason: String) -> String {
        "account:\(reason) catalogue:\(reason) checkout:\(reason) marketing:\(reason) member:\(reason) "
            + "payment.card:\(reason)! sync:\(reason)!"
    }

    @Test("is nothing while all is well, and without a payment service the card")
    func well() {
        #expect(obstacles(status()) == "")
        #expect(obstacles(status(), takesCards: false) == "payment.card:noPaymentService!")
    }

    @Test("is what needs the hub, with the reason that a person can end first")
    func offline() {
        #expect(obstacles(status([.network])) == allOfTheHub("network"))
        #expect(obstacles(status([.manual, .network, .service])) == allOfTheHub("manual"))
        #expect(obstacles(status([.service], faulty: ["order"])) == allOfTheHub("service"))
        #expect(obstacles(status([], .authBlocked)) == allOfTheHub("authBlocked"))
    }

    @Test("is the service alone that is faulty or slow while the till is online")
    func oneService() {
        #expect(obstacles(status(faulty: ["member"])) == "member:service")
        #expect(obstacles(status(faulty: ["payment"])) == "payment.card:service!")
        #expect(obstacles(status(), slow: ["marketing"]) == "marketing:slow")
        #expect(obstacles(status(), slow: ["order"]) == "checkout:slow")
        let slow = Capabilities(
            status: status(), takesCards: true, slowServices: ["order"], stops: Capabilities.Stops())
        #expect(slow.byModule["checkout"]?.route == "online")
    }

    @Test("is what its disk, its clock, its version, its copy and its people stop")
    func stops() {
        let recording = ["checkout", "notes", "payment.card", "payment.cash", "refund", "void"]
        func all(_ reason: String, _ names: [String]) -> String {
            names.map { "\($0):\(reason)!" }.joined(separator: " ")
        }
        #expect(obstacles(status()) { $0.isDiskFull = true } == all("diskFull", recording))
        #expect(obstacles(status()) { $0.isSignInRequired = true } == all("signInRequired", recording))
        #expect(
            obstacles(status()) { $0.clockDiffersByHours = 26 }
                == all("clockDiffers", ["checkout", "payment.card", "payment.cash"]))
        #expect(obstacles(status()) { $0.isTooOld = true } == "sync:tooOld!")
        #expect(obstacles(status()) { $0.isSuperseded = true } == "sync:superseded!")
        #expect(obstacles(status()) { $0.waitEnds = "10:15" } == "sync:busy!")
    }

    @Test("says why and what ends it in both languages, with the command where one ends it")
    func texts() throws {
        let capabilities = Capabilities(
            status: status([.manual]), takesCards: true, slowServices: [], stops: Capabilities.Stops())
        let obstacle = try #require(capabilities.byModule["payment.card"]?.obstacle)
        #expect(obstacle.command == "pos offline off")
        #expect(
            obstacle.texts["en"]
                == "this till is switched off the network by hand; ends with `pos offline off`")
        #expect(obstacle.texts["zh"] == "本机已手动切换为离线；运行 `pos offline off` 恢复")
        for reason in [CapabilityObstacle.network, .service("order"), .notEnrolled, .signInRequired] {
            #expect(reason.command?.hasPrefix("pos ") == true)
        }
    }
}
