internal import CLinux
internal import Glibc

/// Reads routes.
extension NetlinkParser {
    static func route(_ body: UnsafeRawBufferPointer) -> KernelRoute? {
        guard let info = body.value(rtmsg.self), info.rtm_flags & UInt32(RTM_F_CLONED) == 0,
            let kind = kind(info.rtm_type), let zero = anyAddress(info.rtm_family)
        else { return nil }
        var attributes = RouteAttributes(table: UInt32(info.rtm_table), destination: zero)
        body.from(MemoryLayout<rtmsg>.size).forEachAttribute { type, value in
            attributes.take(type, value)
        }
        guard let table = table(attributes.table), attributes.destination.family == zero.family else {
            return nil
        }
        if let link = attributes.link {
            let isDead = info.rtm_flags & UInt32(RTNH_F_DEAD) != 0
            let hop = KernelRoute.Hop(link: link, gateway: attributes.gateway, isDead: isDead)
            attributes.hops.insert(hop, at: 0)
        }
        return KernelRoute(
            table: table, kind: kind, destination: attributes.destination, length: Int(info.rtm_dst_len),
            metric: attributes.metric, source: attributes.source, hops: attributes.hops)
    }

    private static func table(_ number: UInt32) -> KernelRoute.Table? {
        switch number {
        case UInt32(RT_TABLE_LOCAL.rawValue): .local
        case UInt32(RT_TABLE_MAIN.rawValue): .main
        case UInt32(RT_TABLE_DEFAULT.rawValue): .fallback
        default: nil
        }
    }

    private static func kind(_ type: UInt8) -> KernelRoute.Kind? {
        switch Int(type) {
        case Int(RTN_UNICAST): .unicast
        case Int(RTN_LOCAL): .local
        case Int(RTN_BLACKHOLE), Int(RTN_UNREACHABLE), Int(RTN_PROHIBIT): .refusing
        case Int(RTN_THROW): .passing
        default: nil
        }
    }

    private static func anyAddress(_ family: UInt8) -> IPAddress? {
        switch Int32(family) {
        case AF_INET: IPAddress([UInt8](repeating: 0, count: 4))
        case AF_INET6: IPAddress([UInt8](repeating: 0, count: 16))
        default: nil
        }
    }
}

/// The attributes of one route while they are collected.
private struct RouteAttributes {
    var table: UInt32
    var destination: IPAddress
    var metric: UInt32 = 0
    var link: Int32?
    var gateway: IPAddress?
    var source: IPAddress?
    var hops: [KernelRoute.Hop] = []

    mutating func take(_ type: Int, _ value: UnsafeRawBufferPointer) {
        switch type {
        case Int(RTA_TABLE.rawValue): table = value.value(UInt32.self) ?? table
        case Int(RTA_DST.rawValue): destination = IPAddress(Array(value)) ?? destination
        case Int(RTA_PRIORITY.rawValue): metric = value.value(UInt32.self) ?? metric
        case Int(RTA_OIF.rawValue): link = value.value(Int32.self)
        case Int(RTA_GATEWAY.rawValue): gateway = IPAddress(Array(value))
        case Int(RTA_VIA.rawValue): gateway = IPAddress(Array(value.from(2)))
        case Int(RTA_PREFSRC.rawValue): source = IPAddress(Array(value))
        case Int(RTA_MULTIPATH.rawValue): hops += Self.hops(value)
        default: break
        }
    }

    private static func hops(_ value: UnsafeRawBufferPointer) -> [KernelRoute.Hop] {
        var hops: [KernelRoute.Hop] = []
        var rest = value
        while let next = rest.value(rtnexthop.self) {
            let length = Int(next.rtnh_len)
            guard length >= MemoryLayout<rtnexthop>.size, length <= rest.count else { break }
            var gateway: IPAddress?
            rest.from(MemoryLayout<rtnexthop>.size, upTo: length).forEachAttribute { type, value in
                if type == Int(RTA_GATEWAY.rawValue) { gateway = IPAddress(Array(value)) }
                if type == Int(RTA_VIA.rawValue) { gateway = IPAddress(Array(value.from(2))) }
            }
            hops.append(
                KernelRoute.Hop(
                    link: next.rtnh_ifindex, gateway: gateway,
                    isDead: Int32(next.rtnh_flags) & RTNH_F_DEAD != 0))
            rest = rest.from(length.paddedToFour)
        }
        return hops
    }
}
