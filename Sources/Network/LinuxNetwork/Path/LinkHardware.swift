internal import CLinux
internal import Glibc
package import OfflineCore

/// Finds out what kind of network a link is on.
package enum LinkHardware {
    /// From the name, the hardware's number and sysfs.
    @Sendable
    package static func transport(of link: Link) -> Transport {
        transport(of: link, isWireless: isWireless(link.name))
    }

    /// - Parameter isWireless: sysfs shows `phy80211` or `wireless` for the link.
    static func transport(of link: Link, isWireless: Bool) -> Transport {
        if isWireless { return .wifi }
        if modemPrefixes.contains(where: link.name.hasPrefix) { return .cellular }
        return switch Int32(link.hardware) {
        case ARPHRD_PPP, rawIP: .cellular
        case ARPHRD_ETHER: .ethernet
        default: .unknown
        }
    }

    private static let modemPrefixes = ["wwan", "ppp", "rmnet"]
    /// ARPHRD_RAWIP, which modems use.
    private static let rawIP: Int32 = 519

    private static func isWireless(_ name: String) -> Bool {
        ["phy80211", "wireless"].contains { access("/sys/class/net/\(name)/\($0)", F_OK) == 0 }
    }
}

extension LinkHardware {
    /// Whether an interface is one of a shop's own network: Ethernet or Wi-Fi, and none of a container, a
    /// modem or a tunnel.
    package static func isOfShop(interface name: String) -> Bool {
        guard !PathConfiguration().ignores(name),
            let hardware = hardware(of: name)
        else { return false }
        let link = Link(index: 0, name: name, isUp: true, hasCarrier: true, hardware: hardware)
        return [.ethernet, .wifi].contains(transport(of: link))
    }

    /// The ARPHRD_ number of an interface; nil where the kernel does not say one.
    private static func hardware(of name: String) -> UInt16? {
        let file = open("/sys/class/net/\(name)/type", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return UInt16(String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
