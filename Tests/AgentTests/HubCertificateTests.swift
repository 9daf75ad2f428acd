import CurlHTTP
import CurlTransport
import Testing

@testable import Agent

@Suite("What is known of the hub's certificate")
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
