import HubCore
import HubProtocol
import Testing

@Suite("The hub's key ring")
struct HubKeyRingTests {
    private func entry(_ id: String, _ kind: HubKeyEntry.Kind = .token, from: Int64 = 0) -> HubKeyEntry {
        HubKeyEntry(
            id: id, kind: kind, publicKey: kind == .secret ? nil : "public", privateKey: "private",
            createdAt: from, usableFrom: from, notAfter: 9_000)
    }

    @Test("A new key signs from its first moment on, the old one counts to the end of the overlap")
    func rotation() {
        var ring = HubKeyRing([entry("a")])
        ring.rotate(to: entry("b", from: 110), overlapEnd: 200)
        #expect(ring.current(.token, at: 109)?.id == "a")
        #expect(ring.current(.token, at: 110)?.id == "b")
        #expect(ring.accepted(.token, at: 199).map(\.id) == ["b", "a"])
        #expect(ring.accepted(.token, at: 200).map(\.id) == ["b"])
    }

    @Test("A second rotation does not make an earlier end later")
    func overlaps() {
        var ring = HubKeyRing([entry("a")])
        ring.rotate(to: entry("b", from: 1), overlapEnd: 100)
        ring.rotate(to: entry("c", from: 2), overlapEnd: 500)
        #expect(ring.accepted(.token, at: 100).map(\.id) == ["c", "b"])
    }

    @Test("A retired sealing key never ends, and neither kind leaves the offer")
    func sealing() {
        var ring = HubKeyRing([entry("s", .sealing), entry("k", .signing)])
        ring.rotate(to: entry("t", .sealing, from: 10), overlapEnd: 10)
        ring.rotate(to: entry("l", .signing, from: 10), overlapEnd: 10)
        #expect(ring.entry("s")?.acceptedUntil == nil)
        let offered = ring.offered(at: 20)
        #expect(offered.sealing.map(\.id) == ["t", "s"])
        #expect(offered.signing.map(\.id) == ["l", "k"])
        #expect(ring.offered(at: 5).sealing.map(\.id) == ["s", "t"])
    }

    @Test("A ring without a private half that the store's public copy names misses it")
    func missing() throws {
        let whole = HubKeyRing([entry("a"), entry("s", .secret)])
        let copy = try HubKeyRing(json: whole.json(isPrivate: false))
        #expect(copy.entries.allSatisfy { $0.privateKey == nil })
        #expect(whole.missing(of: copy) == [])
        #expect(HubKeyRing([entry("a")]).missing(of: copy) == ["s"])
        #expect(copy.missing(of: copy) == ["a", "s"])
        #expect(copy.holding(HubKeyRing([entry("a")])).current(.token, at: 0)?.id == "a")
        #expect(copy.holding(HubKeyRing([entry("a")])).current(.secret, at: 0) == nil)
    }

    @Test("A ring is the same after it was written and read")
    func written() throws {
        var ring = HubKeyRing([entry("a"), entry("s", .secret)])
        ring.rotate(to: entry("b", from: 5), overlapEnd: 9)
        #expect(try HubKeyRing(json: ring.json(isPrivate: true)) == ring)
    }
}
