import Base
import OfflineCore
@testable import Simulation
import Testing

@Suite("Models of other detectors")
struct OtherDetectorsTests {
    /// The authors' numbers; they differ from the model's by one or two round trips of 20 ms.
    @Test(
        "A silent outage is detected as late as the parameters imply, and no later",
        arguments: [
            (otherDetectors[0], 120, worst: 125, best: 5), (otherDetectors[1], 300, 320, 20),
            (otherDetectors[2], 10, 70, 60), (otherDetectors[3], 30, 70, 40),
        ] as [(any OtherDetector.Type, Int, worst: Int, best: Int)])
    func published(detector: any OtherDetector.Type, interval: Int, worst: Int, best: Int) {
        let late = Drawing.delay(of: detector, outageFrom: .milliseconds(100))
        #expect(abs((late - .seconds(worst)).inSeconds + 0.1) < 0.05)
        let early = Drawing.delay(of: detector, outageFrom: .seconds(interval))
        #expect(abs((early - .seconds(best)).inSeconds) < 0.05)
    }

    @Test("RealReachability checks every two minutes, and twice before it shows unreachable")
    func realReachability() {
        let link = "....xxxxx...x......................."
        #expect(
            Drawing.shown(by: RealReachability.self, on: link)
                == "------------OOOOOOOOOOOO------------")
        // The second ping of the same check, 3 s after the first one, gets a response.
        let shifted = Drawing.shown(by: RealReachability.self, on: link, firstQueryAt: .seconds(8))
        #expect(shifted == "------------------------------------")
    }

    @Test("mwan3 counts five failures down and five responses up, and either run starts again")
    func mwan3() {
        #expect(
            Drawing.shown(by: Mwan3.self, on: ".....xxxxx...........")
                == "---------------------")
        #expect(
            Drawing.shown(by: Mwan3.self, on: ".....xxxxxx..........")
                == "-----------OOOOO-----")
        #expect(
            Drawing.shown(by: Mwan3.self, on: ".....xxxxxx...x......")
                == "-----------OOOOOOOO--")
    }

    @Test("vintage_net needs three failures, then checks at growing intervals")
    func vintageNet() {
        #expect(
            Drawing.shown(by: VintageNet.self, on: "...xxx...............")
                == "---------------------")
        #expect(
            Drawing.shown(by: VintageNet.self, on: "...xxxx..............")
                == "-------O-------------")
        #expect(
            Drawing.shown(by: VintageNet.self, on: "...xxxxxxxxxxxx......")
                == "-------OOOOOOOOOO----")
    }

    @Test(
        "vintage_net sends no probe while the till's connection gets responses; traffic into a hole is no response"
    )
    func vintageNetInspects() {
        let sales = (0..<60).map { Instant(nanoseconds: $0 * 5_000_000_000) }
        let good = Drawing.run(of: VintageNet.self, on: String(repeating: ".", count: 30), traffic: sales)
        #expect(good.figures.activeProbes == 1)
        let dead = String(repeating: ".", count: 10) + String(repeating: "x", count: 20)
        let found = Drawing.run(of: VintageNet.self, on: dead, traffic: sales).figures.slowestFinding
        #expect(found > .seconds(40) && found <= .seconds(100))
    }

    @Test("NetworkManager checks every five minutes, and at growing intervals once a page was lost")
    func networkManager() {
        let quiet = "......xxxxx..................."
        #expect(
            Drawing.shown(by: NetworkManagerCheck.self, on: quiet + "xxxx....")
                == String(repeating: "-", count: 32) + "OO----")
        // TCP's retransmissions bridge a hole of ten seconds.
        #expect(
            Drawing.shown(by: NetworkManagerCheck.self, on: quiet + "x.......")
                == String(repeating: "-", count: 38))
    }

    @Test(
        "A dark hub is detected by the till and by page fetches, and by TCP if its port is dropped",
        arguments: [SimulatedLink.Darkness.port, .handshake, .response])
    func darkHub(darkness: SimulatedLink.Darkness) {
        let zero = Instant(nanoseconds: 0)
        let hole = Hole(start: zero + .seconds(600), length: .seconds(1_200))
        let trace = LinkTrace(holes: [hole], for: .seconds(1_800))
        var link = SimulatedLink(outage: .recorded(trace))
        link.darkness = darkness
        let found = otherDetectors.filter { detector in
            detector.run(
                on: SimulatedProbe(link: link, seed: 1), from: zero, outages: trace.outages, until: trace.end
            ).figures.missed == 0
        }.map { $0.name }
        #expect(found == [NetworkManagerCheck.name] + (darkness == .port ? [VintageNet.name] : []))
        let till = LinkRun(
            name: "till", plan: TillPlan(link: link, seed: 1), outages: trace.outages, until: trace.end)
        #expect(till.figures.missed == 0 && till.figures.slowestFinding <= .seconds(50))
    }

    @Test("With QoS queried every 2 s an idle till detects a blackhole within 17 s", arguments: 0..<40)
    func shortPoll(cut: Int) {
        let zero = Instant(nanoseconds: 0)
        let hole = Hole(start: zero + .milliseconds(600_000 + 373 * cut), length: .seconds(600))
        let trace = LinkTrace(holes: [hole], for: .seconds(1_300))
        var settings = OfflineSettings()
        settings.service.pollInterval = .seconds(2)
        let plan = TillPlan(
            link: SimulatedLink(outage: .recorded(trace)), settings: settings, seed: UInt64(cut))
        let till = LinkRun(name: "till", plan: plan, outages: trace.outages, until: trace.end)
        #expect(till.figures.slowestFinding > .seconds(8) && till.figures.slowestFinding <= .seconds(17))
    }

    @Test(
        "No detector finds an outage where there is none, and all recover from one", arguments: otherDetectors
    )
    func calm(detector: any OtherDetector.Type) {
        let calm = Drawing.run(of: detector, on: String(repeating: ".", count: 400))
        #expect(calm.offline.all.isEmpty)
        let hole = String(repeating: "x", count: 60)
        let run = Drawing.run(of: detector, on: ".." + hole + String(repeating: ".", count: 60))
        #expect(run.offline.all.count == 1)
        #expect(run.figures.switches == 2)
    }
}
