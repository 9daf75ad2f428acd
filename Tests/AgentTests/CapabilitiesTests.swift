import AgentAPI
import Base
import HubProtocol
import OfflineCore
import OfflineMode
import Retail
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

    /// The capabilities of a till in this status, whose other facts `change` sets.
    private func capabilities(
        _ status: ModeStatus, slow: [String] = [], _ stops: Capabilities.Stops = .init(),
        _ change: (inout TillFacts) -> Void = { _ in }
    ) -> [TillModule: Capability] {
        var facts = TillFacts(tenders: [.cash, .card])
        (facts.isOnline, facts.causes) = (status.mode == .online, status.causes)
        if status.connectivity.state == .authBlocked {
            facts.payment = .notEnrolled
        } else if status.mode == .offline || status.services.contains(where: { $0.service == "payment" }) {
            facts.payment = TillObstacle(status) ?? .service("payment")
        }
        change(&facts)
        return Capabilities(
            status: status, abilities: TillAbilities(facts), slowServices: slow, stops: stops
        ).byModule
    }

    /// What has an obstacle, each as `module:reason`, with `!` where nothing of it works.
    private func obstacles(
        _ status: ModeStatus, slow: [String] = [], _ stops: Capabilities.Stops = .init(),
        _ change: (inout TillFacts) -> Void = { _ in }
    ) -> String {
        capabilities(status, slow: slow, stops, change).sorted { $0.key.rawValue < $1.key.rawValue }
            .compactMap { module, capability in
                capability.obstacle.map { "\(module.rawValue):\($0.reason)" + ($0.stopsAll ? "!" : "") }
            }.joined(separator: " ")
    }

    private func allOfTheHub(_ reason: String) -> String {
        "account:\(reason) catalogue:\(reason) checkout:\(reason) coupons:\(reason) marketing:\(reason) "
            + "member:\(reason) payment.card:\(reason)! sync:\(reason)!"
    }

    @Test("is nothing while all is well, and without a payment service the card")
    func well() {
        #expect(obstacles(status()) == "")
        #expect(obstacles(status()) { $0.payment = .noPayments } == "payment.card:noPaymentService!")
        #expect(obstacles(status()) { $0.tenders = [.cash] } == "payment.card:noTender!")
    }

    @Test("ends at the moment that is known: the recovery hold, or the test of a faulty service")
    func ends() {
        let end = Self.start + .seconds(30)
        func status(_ network: NetworkStatus.State, testedAt: Instant? = nil) -> ModeStatus {
            let base = self.status([.network])
            return ModeStatus(
                mode: base.mode, since: base.since, causes: base.causes, manual: base.manual,
                network: NetworkStatus(
                    state: network, since: Self.start, evidence: [], debounce: .seconds(8), deadline: end),
                services: [
                    ServiceStatus(
                        service: "payment", isCore: false, state: .faulty, since: Self.start, source: .local,
                        generation: 0, testedAt: testedAt)
                ], connectivity: base.connectivity)
        }
        #expect(TillObstacle.network.end(in: status(.recovering)) == end)
        // The wait before a mode begins ends nothing.
        #expect(TillObstacle.network.end(in: status(.suspect)) == nil)
        #expect(TillObstacle.service("payment").end(in: status(.reachable, testedAt: end)) == end)
        #expect(TillObstacle.service("order").end(in: status(.reachable, testedAt: end)) == nil)
        #expect(TillObstacle.switchedOff.end(in: status(.recovering)) == nil)
        var facts = TillFacts(tenders: [.cash, .card])
        facts.payment = .service("payment")
        let card = TenderState(TillAbilities(facts).tenders[1]) {
            AbilityEnd(at: "\($0.word)", command: $0.command)
        }
        #expect(card.ends.at == "service" && card.ends.command == "pos sync now")
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
        #expect(obstacles(status(), slow: ["marketing"]) == "coupons:slow marketing:slow")
        #expect(obstacles(status(), slow: ["order"]) == "checkout:slow")
        #expect(capabilities(status(), slow: ["order"])[.checkout]?.route == "online")
    }

    @Test("is no card that the till's own machine takes, or that is stored within the store's limits")
    func ownCards() throws {
        for status in [status(), status([.network])] {
            let machine = capabilities(status) {
                $0.payment = .noPayments
                $0.machine = .init(isFirst: false)
            }[.card]
            #expect(machine?.route == "local" && machine?.obstacle?.stopsAll == false)
        }
        let room = OfflineCardRoom(
            beside: [], within: OfflineCardLimits(perSale: 5, perShift: 5, perTerminal: 5),
            at: MachineMoment(wall: 0, boot: 0, bootId: "b"), shift: nil,
            calendar: try #require(BusinessCalendar(timeZone: "UTC")))
        let stored = capabilities(status([.network])) { $0.storage = .init(room: room) }[.card]
        #expect(stored?.route == "local" && stored?.obstacle?.stopsAll == false)
        #expect(stored?.obstacle?.reason == "network")
    }

    @Test("is what its disk, its clock, its shift, its version, its copy and its people stop")
    func stops() {
        let selling = ["checkout", "coupons", "exchange", "payment.card", "payment.cash", "priceOverride"]
        let recording = (selling + ["notes", "refund", "void"]).sorted()
        func all(_ reason: String, _ names: [String]) -> String {
            names.map { "\($0):\(reason)!" }.joined(separator: " ")
        }
        let clock = SaleRefusal.clockDiffers(own: "09:00", hub: "12:00")
        #expect(obstacles(status()) { $0.disk = .diskFull(path: "/") } == all("diskFull", recording))
        #expect(
            obstacles(status()) { $0.people.hasCashiers = true }
                == all("signInRequired", (recording + ["manualOffline"]).sorted()))
        #expect(obstacles(status()) { $0.clock = clock } == all("clockDiffers", selling))
        #expect(obstacles(status()) { $0.lacksShift = true } == all("shiftRequired", selling))
        #expect(obstacles(status(), .init(isTooOld: true)) == "sync:tooOld!")
        #expect(obstacles(status(), .init(isSuperseded: true)) == "sync:superseded!")
        #expect(obstacles(status(), .init(waitEnds: "10:15")) == "sync:busy!")
    }

    @Test("names the approval that an action needs of a cashier, and of nobody else")
    func approvals() {
        func approved(_ change: (inout TillFacts) -> Void) -> [String] {
            capabilities(status(), .init(), change).filter { $0.value.needs.contains("approval") }
                .map(\.key.rawValue).sorted()
        }
        let list = ["exchange", "priceOverride", "refund", "void"]
        #expect(
            approved {
                ($0.people.hasCashiers, $0.people.role) = (true, .cashier)
                $0.approvals = Approvals(listed: nil, hasManager: true)
            } == list)
        #expect(
            approved {
                ($0.people.hasCashiers, $0.people.role) = (true, .manager)
                $0.approvals = Approvals(listed: nil, hasManager: true)
            } == [])
        #expect(approved { $0.approvals = Approvals(listed: [.refund], hasManager: true) } == [])
    }

    @Test("says why and what ends it in both languages, with the command where one ends it")
    func texts() throws {
        let obstacle = try #require(capabilities(status([.manual]))[.card]?.obstacle)
        #expect(obstacle.command == "pos offline off")
        #expect(
            obstacle.texts["en"]
                == "this till is switched off the network by hand; ends with `pos offline off`")
        #expect(obstacle.texts["zh"] == "本机已手动切换为离线；运行 `pos offline off` 恢复")
        for reason in [TillObstacle.network, .service("order"), .notEnrolled, .signInRequired] {
            #expect(reason.command?.hasPrefix("pos ") == true)
        }
    }
}
