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
