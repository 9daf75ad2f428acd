internal import CLinux
internal import Glibc

/// One message of the kernel that the monitor needs.
enum NetlinkMessage: Hashable {
    case link(Link)
    case address(InterfaceAddress)
    case route(KernelRoute)
    /// The end of a dump.
    case done
    /// A request failed with this errno.
    case failed(Int32)
    /// Anything else.
    case other
}

/// Reads datagrams of rtnetlink. Parts that are cut off or contradict their own length are left out, and no
/// read passes the end.
struct NetlinkParser {
    /// The messages of one datagram.
    ///
    /// - Returns: the messages, and whether the kernel reports that a change disturbed the dump
    ///   (NLM_F_DUMP_INTR), so that it must be repeated.
    static func messages(of datagram: UnsafeRawBufferPointer) -> (
        messages: [NetlinkMessage], isDisturbed: Bool
    ) {
        var messages: [NetlinkMessage] = []
        var isDisturbed = false
        var rest = datagram
        while let header = rest.value(nlmsghdr.self) {
            let length = Int(header.nlmsg_len)
            guard length >= MemoryLayout<nlmsghdr>.size, length <= rest.count else { break }
            isDisturbed = isDisturbed || Int32(header.nlmsg_flags) & NLM_F_DUMP_INTR != 0
            let body = rest.from(MemoryLayout<nlmsghdr>.size, upTo: length)
            messages.append(message(header, body) ?? .other)
            rest = rest.from(length.paddedToFour)
        }
        return (messages, isDisturbed)
    }

    private static func message(_ header: nlmsghdr, _ body: UnsafeRawBufferPointer) -> NetlinkMessage? {
        switch Int32(header.nlmsg_type) {
        case NLMSG_DONE: .done
        case NLMSG_ERROR: body.value(Int32.self).map { .failed(Int32(clamping: -Int64($0))) }
        case Int32(RTM_NEWLINK): link(body).map(NetlinkMessage.link)
        case Int32(RTM_NEWADDR): address(body).map(NetlinkMessage.address)
        case Int32(RTM_NEWROUTE): route(body).map(NetlinkMessage.route)
        default: nil
        }
    }

    private static func link(_ body: UnsafeRawBufferPointer) -> Link? {
        guard let info = body.value(ifinfomsg.self) else { return nil }
        var name = ""
        var state = UInt32(CLINUX_OPER_UNKNOWN)
        body.from(MemoryLayout<ifinfomsg>.size).forEachAttribute { type, value in
            switch type {
            case Int(IFLA_IFNAME): name = value.text
            case Int(IFLA_OPERSTATE): state = UInt32(value.first ?? 0)
            default: break
            }
        }
        guard !name.isEmpty else { return nil }
        return Link(
            index: info.ifi_index, name: name,
            isUp: info.ifi_flags & UInt32(IFF_UP.rawValue) != 0,
            hasCarrier: info.ifi_flags & UInt32(CLINUX_IFF_LOWER_UP) != 0,
            isLoopback: info.ifi_flags & UInt32(IFF_LOOPBACK.rawValue) != 0,
            isOperational: state == UInt32(CLINUX_OPER_UNKNOWN) || state == UInt32(CLINUX_OPER_UP),
            hardware: info.ifi_type)
    }

    private static func address(_ body: UnsafeRawBufferPointer) -> InterfaceAddress? {
        guard let info = body.value(ifaddrmsg.self) else { return nil }
        var flags = UInt32(info.ifa_flags)
        var local: IPAddress?
        var peer: IPAddress?
        body.from(MemoryLayout<ifaddrmsg>.size).forEachAttribute { type, value in
            switch type {
            // On a point-to-point link IFA_ADDRESS is the other end's and IFA_LOCAL ours.
            case Int(IFA_LOCAL): local = IPAddress(Array(value))
            case Int(IFA_ADDRESS): peer = IPAddress(Array(value))
            case Int(IFA_FLAGS): flags = value.value(UInt32.self) ?? flags
            default: break
            }
        }
        guard let address = local ?? peer else { return nil }
        return InterfaceAddress(
            link: Int32(bitPattern: info.ifa_index), address: address,
            isReady: flags & UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED) == 0
                || flags & UInt32(IFA_F_OPTIMISTIC) != 0,
            isSecondChoice: flags & UInt32(IFA_F_DEPRECATED) != 0
                || (address.family == .v6 && flags & UInt32(IFA_F_TEMPORARY) != 0))
    }
}

extension Int {
    /// Netlink aligns everything to four bytes.
    var paddedToFour: Int { (self + 3) & ~3 }
}
