import LinuxNetwork
import Testing

/// Short forms for tables in tests.
func address(_ text: String) throws -> IPAddress {
    try #require(IPAddress(text))
}

func route(
    _ destination: String, table: KernelRoute.Table = .main, kind: KernelRoute.Kind = .unicast, link: Int32?,
    via gateway: String? = nil, metric: UInt32 = 0, source: String? = nil
) throws -> KernelRoute {
    let parts = destination.split(separator: "/")
    let hop = try link.map { KernelRoute.Hop(link: $0, gateway: try gateway.map { try address($0) }) }
    return KernelRoute(
        table: table, kind: kind, destination: try address(String(parts[0])),
        length: try #require(Int(parts[1])), metric: metric, source: try source.map { try address($0) },
        hops: hop.map { [$0] } ?? [])
}
