import Foundation
import HubProtocol
import Synchronization
import TestKit
import Testing

/// Calls without a token, and PINs: what one caller may cost the others.
@Suite("pos-hub's open routes and PINs", .onStage, .serialized)
struct HubOpenRoutesTests {
    private func hub(_ configuration: String = "{}") throws -> HubUnderTest {
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        return try HubUnderTest(["--config", file], in: folder)
    }

    @Test("An address has its rate and not one call more, and another address has its own")
    func addressRate() throws {
        let space = try NetworkNamespace("edge")
        for address in ["10.217.65.1", "10.217.65.2"] {
            try space.ip("address", "add", address + "/32", "dev", "lo")
        }
        let folder = try TemporaryFolder()
        let file = folder.path("hub.json")
        try #"{"limits":{"openRequestsPerAddressPerSecond":5,"trustedAddresses":["10.217.65.2/31"]}}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        let hub = try HubUnderTest(
            ["--config", file, "--listen", "10.217.65.1:8080", "--allow-insecure"], in: folder,
            behind: space.argumentsToRun([]))
        func ready(from address: String) throws -> [String] {
            let command =
                "for i in $(seq 20); do curl -s -o /dev/null -w '%{http_code} ' --interface \(address) "
                + "\(hub.url)/readyz?[1-2]; done"
            return try space.run(["bash", "-c", command]).split(separator: " ").map(String.init)
        }
        let first = try ready(from: "10.217.65.1")
        #expect(first.prefix(5).allSatisfy { $0 == "200" }, "\(first)")
        #expect(first.contains("429"), "\(first)")
        #expect(try ready(from: "10.217.65.2").allSatisfy { $0 == "200" })
    }

    @Test("One till with 80 invented cashiers delays another till's sign-in by a check or two")
    func inventedCashiers() throws {
        let hub = try hub()
        let file = hub.folder.path("cashiers.csv")
        try "id,name,pin,role\nc1,Kim,471100,manager\n".write(toFile: file, atomically: true, encoding: .utf8)
        _ = try hub.json("import", "cashiers", file)
        let (bad, good) = (try hub.enrol(), try hub.enrol(store: "S2"))
        func session(_ till: TillOverHTTP, _ id: String, on client: LoopbackClient) throws -> LoopbackResponse
        {
            try client.request(
                "POST", Routes.sessions, headers: till.headers,
                body: #"{"cashierId":"\#(id)","pin":"471100"}"#)
        }
        let client = try hub.client(timeout: 60)
        let clock = ContinuousClock()
        func timed() throws -> Duration {
            let start = clock.now
            let response = try session(good, "c1", on: client)
            #expect(response.status == 201)
            return clock.now - start
        }
        let alone = try timed()
        let (url, headers) = (hub.url, bad.headers)
        let began = clock.now
        // On threads of their own: the shared ones of a small machine would send them two at a time.
        let refusals = Mutex<[(code: String, retryAfter: String?)]>([])
        let flood = DispatchGroup()
        for number in 0..<80 {
            flood.enter()
            Thread.detachNewThread {
                defer { flood.leave() }
                let response = try? LoopbackClient(url: url, timeout: 120).request(
                    "POST", Routes.sessions, headers: headers,
                    body: #"{"cashierId":"x\#(number)","pin":"471100"}"#)
                let refusal = (response?.problemCode ?? "", response?.headers["retry-after"])
                refusals.withLock { $0.append(refusal) }
            }
        }
        for _ in 0..<5 {
            let beside = try timed()
            // Two checks more than alone, and a second for a machine that is busy with tests.
            #expect(beside < alone * 3 + .seconds(1), "\(beside) beside \(alone)")
        }
        try #require(flood.wait(timeout: .now() + 120) == .success)
        // 20 at once, then one each 3 s: a slow machine lets in some more while it checks.
        let most = 20 + Int((clock.now - began).seconds / 3) + 1
        let (codes, refused) = refusals.withLock { all in
            (all.map(\.code), all.filter { $0.code != "pin_refused" })
        }
        // Two of its requests with a body are served at a time, and eight wait.
        let known: Set = ["pin_refused", "too_many_pin_checks", "rate_limited"]
        #expect(known.isSuperset(of: codes), "\(Set(codes))")
        #expect(!refused.isEmpty)
        #expect(codes.filter { $0 == "pin_refused" }.count <= most)
        #expect(refused.allSatisfy { $0.retryAfter != nil })
    }

    @Test("An unknown cashier is refused as late as one with a wrong PIN")
    func unknownCashier() throws {
        let hub = try hub()
        let file = hub.folder.path("cashiers.csv")
        try "id,name,pin,role\nc1,Kim,471100,manager\n".write(toFile: file, atomically: true, encoding: .utf8)
        _ = try hub.json("import", "cashiers", file)
        let client = try hub.client(timeout: 60)
        func time(_ id: String, at till: TillOverHTTP) throws -> Duration {
            let start = ContinuousClock.now
            let response = try client.request(
                "POST", Routes.sessions, headers: till.headers,
                body: #"{"cashierId":"\#(id)","pin":"1"}"#)
            #expect(response.problemCode == "pin_refused")
            return ContinuousClock.now - start
        }
        // In turn, so that both meet the same machine; the shortest of eight, since others use it too.
        let tills = try (0..<4).map { _ in try hub.enrol() }
        let times = try (0..<8).map { turn in
            // Five wrong ones lock a till.
            (try time("c1", at: tills[turn / 4]), try time("x", at: tills[2 + turn / 4]))
        }
        let (known, unknown) = (times.map(\.0).min() ?? .zero, times.map(\.1).min() ?? .zero)
        #expect(unknown > known / 2 && unknown < known * 2 + .milliseconds(50), "\(unknown) beside \(known)")
    }
}
