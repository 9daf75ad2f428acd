import Foundation
import HubProtocol
import TestKit

/// A shop whose tills and hub hang on one switch, each in a network namespace of its own. What a test does to
/// the switch is what happens to switches: cables are pulled, ports are isolated, halves are apart.
final class SwitchedShop {
    /// One end of a cable at the switch.
    struct Place {
        /// From 1.
        let number: Int
        let namespace: NetworkNamespace

        var address: String { SwitchedShop.network + "\(number)" }
    }

    let shop: ShopUnderTest
    private let middle: NetworkNamespace
    private let hub: NetworkNamespace
    private(set) var places: [Place] = []

    static let network = "10.217.72."
    /// The hub's own address behind the switch, the same by every way to it.
    private static let hubHost = "10.217.73.1"
    private static let switches = ["one", "two"]

    init(_ kind: HubStoreKind = .sqlite, settings: ShopSettings = .hurried) throws {
        middle = try NetworkNamespace("switch")
        hub = try NetworkNamespace("hub")
        shop = try ShopUnderTest(unstarted: settings.with(["POS_HUB_ALLOW_INSECURE": "true"]))
        shop.store = try kind.place(in: shop.folder)
        if kind == .postgresql {
            shop.store = try shop.store.map { try PostgresServer.shared.get().overItsSocket($0) }
        }
        shop.serveArguments = ["--allow-insecure"]
        shop.hubWrapper = hub.argumentsToRun([])
        (shop.hubHost, shop.listenHost) = (Self.hubHost, "0.0.0.0")
        for name in Self.switches {
            try middle.ip("link", "add", name, "type", "bridge")
            try middle.ip("link", "set", name, "up")
        }
        try cable(hub, Self.network + "254", port: Self.hubPort)
        try hub.ip("address", "add", Self.hubHost + "/32", "dev", "lo")
    }

    private static let hubPort = "hub"
    private static func port(of place: Place) -> String { "till\(place.number)" }

    private func cable(_ namespace: NetworkNamespace, _ address: String, port: String) throws {
        try namespace.ip(
            "link", "add", "lan0", "type", "veth", "peer", "name", port, "netns", middle.name)
        // Without link-local addresses of IPv6: they are tentative for a second.
        try namespace.ip("link", "set", "lan0", "addrgenmode", "none")
        try namespace.ip("address", "add", address + "/24", "dev", "lan0")
        try middle.ip("link", "set", port, "master", Self.switches[0], "up")
        try namespace.ip("link", "set", "lan0", "up")
    }

    /// Starts the hub with its articles, whose tills are to see each other.
    func open(stores: [String] = ["S1"]) throws {
        try shop.startHub()
        try shop.importCatalogue(Article.assortment)
        for store in stores {
            try shop.posHub("store-config", "set", "--store-id", store, "neighbours.enabled=on")
        }
    }

    /// One more cable, with nothing at its end yet.
    func place() throws -> Place {
        let place = Place(number: places.count + 1, namespace: try NetworkNamespace("till"))
        try cable(place.namespace, place.address, port: Self.port(of: place))
        try place.namespace.ip(
            "route", "add", "default", "via", Self.network + "254", "dev", "lan0", "metric", "100")
        places.append(place)
        return place
    }

    /// A till at one more cable.
    func till(of store: String = "S1", with more: ShopSettings = [:]) throws -> (Place, SeeingTill) {
        let place = try place()
        let till = try SeeingTill(
            shop, "till\(place.number)", of: store, listening: nil,
            behind: place.namespace.argumentsToRun([]), with: more)
        return (place, till)
    }

    /// The hub learns from a played till where it listens, and passes that on to the others of its store.
    func report(_ till: PlayedTill, at address: String) throws {
        let body: JSONValue = [
            "appVersion": "1.0.0", "outbox": ["pending": 0],
            "neighbours": ["port": 7710, "addresses": [.string(address)]],
        ]
        let (headers, port) = (till.signing.headers, shop.hubPort)
        try atHub {
            _ = try LoopbackClient(.tcp(port: port)).request(
                "POST", Routes.telemetry, headers: headers, body: body.canonicalText)
        }
    }

    /// Runs `body` on the hub's computer, where the hub is at 127.0.0.1.
    func atHub<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        try hub.perform(body)
    }
}

/// What happens to it.
extension SwitchedShop {
    /// Pulls the cable between the switch and the hub, or puts it back.
    func setHub(there isThere: Bool) throws { try middle.setLink(Self.hubPort, up: isThere) }

    /// Takes the switch's power, or gives it back: nobody has a carrier.
    func setPower(_ isOn: Bool) throws {
        try middle.batch(places.map { "link set \(Self.port(of: $0)) \(isOn ? "up" : "down")" })
    }

    /// Isolates the tills from each other as access points do; the hub's port is none of them.
    func setIsolated(_ isIsolated: Bool) throws {
        for place in places {
            try middle.ip(
                "link", "set", "dev", Self.port(of: place), "type", "bridge_slave", "isolated",
                isIsolated ? "on" : "off")
        }
    }

    /// Puts these tills behind another switch than the rest and the hub, or all behind one.
    func setApart(_ apart: [Place]) throws {
        let numbers = Set(apart.map(\.number))
        for place in places {
            try middle.ip(
                "link", "set", "dev", Self.port(of: place), "master",
                Self.switches[numbers.contains(place.number) ? 1 : 0])
        }
    }

    /// Loses what `from` sends to `to`, or stops doing so; the other direction goes on.
    func setLost(from: Place, to: Place, _ isLost: Bool) throws {
        try from.namespace.setBlackhole(to.address + "/32", isLost)
    }

    /// A mobile stick at a till becomes its default route, past the switch.
    func plugStick(into place: Place) throws {
        try place.namespace.ip(
            "link", "add", "wwan0", "type", "veth", "peer", "name", "stick", "netns", hub.name)
        try place.namespace.ip("link", "set", "wwan0", "addrgenmode", "none")
        try hub.ip("address", "add", "10.217.74.1/30", "dev", "stick")
        try place.namespace.ip("address", "add", "10.217.74.2/30", "dev", "wwan0")
        try hub.ip("link", "set", "stick", "up")
        try place.namespace.ip("link", "set", "wwan0", "up")
        try place.namespace.ip(
            "route", "add", "default", "via", "10.217.74.1", "dev", "wwan0", "metric", "50")
    }
}
