import HubProtocol
import Testing

/// What of a till's report its neighbours get.
@Suite("A till's place on the network")
struct NeighbourPlaceTests {
    @Test("Four private addresses are taken, each once, and the rest is left out")
    func taken() throws {
        let place = try #require(
            NeighbourPlace(
                addresses: [
                    "8.8.8.8", "10.0.0.1", "10.0.0.1", "fd00::1", "fe80::1", "192.168.1.2", "172.31.0.1",
                    "169.254.0.9",
                ], port: 7_710))
        #expect(place.addresses == ["10.0.0.1", "fd00::1", "192.168.1.2", "172.31.0.1"])
        #expect(try NeighbourPlace(json: place.json) == place)
        #expect(NeighbourPlace(reported: place.json) == place)
    }

    @Test(
        "What is no address of a shop is none",
        arguments: [
            "", "10.0.0", "10.0.0.256", "010.0.0.1", "10.0.0.1:80", "10.0.0.1 ", "172.32.0.1", "127.0.0.1",
            "::1",
            "2001:db8::1", "fd00::1%eth0", "fdzz::1", "FD00::1", "fc:1::1", "till.local",
        ])
    func left(_ text: String) {
        #expect(NeighbourPlace(addresses: [text], port: 7_710) == nil)
    }

    @Test("Ports below 1,024 are not passed on, and neither is what is no object")
    func ports() {
        #expect(NeighbourPlace(addresses: ["10.0.0.1"], port: 1_023) == nil)
        #expect(NeighbourPlace(addresses: ["10.0.0.1"], port: 65_536) == nil)
        #expect(NeighbourPlace(reported: nil) == nil)
        #expect(NeighbourPlace(reported: ["addresses": "10.0.0.1", "port": 7_710]) == nil)
    }
}
