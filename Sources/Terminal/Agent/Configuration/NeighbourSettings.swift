internal import Base
internal import HubProtocol
internal import PinnedTLS

/// How the terminal and the others of its store see each other: the keys `neighbours.*`.
struct NeighbourSettings: Hashable, Sendable {
    /// Whether the store wants it and nothing here is against it.
    let isEnabled: Bool
    /// Where it listens; empty: at the addresses of the shop's network.
    let listen: [SocketAddress]
    /// Where other terminals listen.
    let addresses: [SocketAddress]
    /// Interfaces at whose addresses it listens, whatever they are.
    let interfaces: Set<String>
    /// What it keeps of other tills at most, in MiB.
    let keepMegabytes: Int
    /// After how many days without the hub the keys of the others count as not confirmed.
    let trustDays: Int
    /// How long anything waits for one neighbour that others could respond for.
    let wait: Duration

    init(from source: ConfigurationSources) throws(TerminalError) {
        isEnabled = try source.isPermitted(StoreSetting.neighbours.key)
        listen = try Self.addresses("neighbours.listen", source)
        addresses = try Self.addresses("neighbours.addresses", source)
        interfaces = Set(try source.list("neighbours.interface").filter { !$0.isEmpty })
        keepMegabytes = try source.integer("neighbours.keepMegabytes")
        trustDays = try source.integer("neighbours.trustDays")
        wait = .milliseconds(Int64(try source.integer("neighbours.waitMilliseconds")))
    }

    /// For a test.
    init(isEnabled: Bool, listen: [SocketAddress], addresses: [SocketAddress]) {
        (self.isEnabled, self.listen, self.addresses) = (isEnabled, listen, addresses)
        (interfaces, keepMegabytes) = ([], 64)
        (trustDays, wait) = (NeighbourLimits.trustDays, NeighbourLimits.wait)
    }

    private static func addresses(
        _ key: String, _ source: ConfigurationSources
    ) throws(TerminalError) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        // A variable without a value is a list without an address.
        for text in try source.list(key) where !text.isEmpty {
            guard let address = SocketAddress(text, defaultPort: NeighbourLimits.port) else {
                throw TerminalError(.unusable, code: "configuration_value") {
                    $0.wrongValue("\"\(text)\"", of: key, .form("ADDRESS:PORT, for example 192.168.1.7:7710"))
                }
            }
            addresses.append(address)
        }
        return addresses
    }
}

extension ConfigurationKey {
    static let neighbours = [
        ConfigurationKey(
            name: StoreSetting.neighbours.key, kind: .choice(["off", "on"], default: "off"),
            meaning:
                "`on`: the tills of the store see each other over the shop's network "
                + "([how](../operating/tills-that-see-each-other.md)). The store turns it on; a file can only turn "
                + "it off."),
        ConfigurationKey(
            name: "neighbours.listen", kind: .list,
            meaning:
                "Where the till listens for the others, `ADDRESS:PORT` each, numeric; port 0: any free one. Without "
                + "it port 7710 at the private addresses of every Ethernet and Wi-Fi interface that is up."),
        ConfigurationKey(
            name: "neighbours.interface", kind: .list,
            meaning:
                "Interfaces at whose addresses the till listens too, at port 7710, although they are no Ethernet or "
                + "Wi-Fi or have no private address, for example `br0`. Not beside `neighbours.listen`."),
        ConfigurationKey(
            name: "neighbours.addresses", kind: .list,
            meaning: "Where the other tills of the store listen, `ADDRESS` or `ADDRESS:PORT` each, numeric."),
        ConfigurationKey(
            name: "neighbours.keepMegabytes", kind: .integer(unit: "MiB", default: 64, range: 8...1_024),
            meaning:
                "What the till keeps of the other tills' sales that wait for the hub, encrypted to the hub; each "
                + "till is sure of its equal part."),
        ConfigurationKey(
            name: "neighbours.trustDays",
            kind: .integer(unit: "days", default: NeighbourLimits.trustDays, range: 1...90),
            meaning:
                "Without the hub for so long, the other tills count as not confirmed: one of them may have been "
                + "revoked. `pos neighbours`, the counter and `pos doctor` say since when, their carts need an "
                + "approval (`cartCopy`), and no points, coupons or receipts go between them."),
        ConfigurationKey(
            name: "neighbours.waitMilliseconds",
            kind: .integer(
                unit: "ms", default: Int(NeighbourLimits.wait.wholeMilliseconds),
                range: NeighbourLimits.waitRange),
            meaning:
                "How long one till is waited for before another one is requested the same notes, and how long a "
                + "sale waits for points and coupons that other tills have, in all."),
    ]
}
