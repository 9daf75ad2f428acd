import Base
import CurlHTTP
import CurlTransport
import Logging
import Synchronization
import TerminalStore
import TestKit
import Testing

@testable import Agent

@Suite("What is known of the hub's certificate", .timeLimit(.minutes(1)))
struct HubCertificateTests {
    private typealias Condition = HubCertificate.Condition

    private func after(_ looks: CertificateLook...) -> Condition {
        var condition = Condition()
        for look in looks { condition.note(look) }
        return condition
    }

    @Test("Its end comes while no handshake is made, and counts from then on")
    func ends() {
        let condition = after(.ends(at: 1_000))
        #expect(!condition.isEnded(at: 999))
        #expect(condition.isEnded(at: 1_000))
        #expect(!after().isEnded(at: 1_000))
    }

    @Test("A refused handshake counts at once and keeps the last end; a good one replaces both")
    func refused() {
        let refused = after(.ends(at: 1_000), .refused(.outOfValidity))
        #expect(refused.isEnded(at: 5) && refused.end == 1_000)
        #expect(after(.ends(at: 1_000), .refused(.foreign), .ends(at: 9_000)) == Condition(end: 9_000))
    }

    @Test("A hub that does not respond changes nothing, a broken handshake is no end")
    func nothingNew() {
        #expect(after(.ends(at: 1_000), .noResponse) == after(.ends(at: 1_000)))
        #expect(!after(.ends(at: 1_000), .handshakeFailed(detail: "reset")).isEnded(at: 999))
        #expect(after(.refused(.outOfValidity), .noResponse).isEnded(at: 0))
    }

    @Test("What a person's look finds ends a minute after it was put right, not an hour")
    func personsLook() async throws {
        let enrolled = try EnrolledHome()
        let database = try await enrolled.database()
        defer { database.close() }
        let time = HandClock()
        let changes = Mutex(0)
        let far = HandClock.epoch + 90 * 86_400_000
        let shown = Mutex(CertificateLook.ends(at: far))
        let certificate = HubCertificate(
            isSecure: true, facts: SQLiteTerminalFacts(database), time: time, logger: Logger(label: "test"),
            shake: { shown.withLock { $0 } }, onChange: { changes.withLock { $0 += 1 } })
        let work = Task { await certificate.run() }
        func sleeps(_ duration: Duration) async {
            while !time.alarms.contains(time.now() + duration) { await Task.yield() }
        }
        await sleeps(.seconds(60))
        time.advance(by: .seconds(60))
        await sleeps(.seconds(3_600))

        shown.withLock { $0 = .refused(.otherName) }
        await certificate.look()
        #expect(certificate.isEnded && changes.withLock { $0 } == 1)
        await sleeps(.seconds(60))
        shown.withLock { $0 = .ends(at: far) }
        time.advance(by: .seconds(60))
        while changes.withLock({ $0 }) == 1 { await Task.yield() }
        #expect(!certificate.isEnded)
        work.cancel()
        await work.value
    }

    @Test("What a person acknowledged is read back as it was kept, and anything else is nothing")
    func seenLosses() {
        for seen in [
            SeenLosses(), SeenLosses(loss: "2026-11-25T10:00:00.000Z"),
            SeenLosses(loss: "2026-11-25T10:00:00.000Z", repair: "2026-11-26T10:00:00.000Z"),
        ] {
            #expect(SeenLosses(fact: seen.fact) == seen)
        }
        #expect(SeenLosses(fact: nil) == SeenLosses())
        #expect(SeenLosses(fact: "x") == SeenLosses())
    }
}
