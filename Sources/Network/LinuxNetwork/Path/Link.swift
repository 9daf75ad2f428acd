/// A network interface as the kernel announces it (RTM_NEWLINK).
package struct Link: Hashable, Sendable {
    /// The kernel's number of the interface; addresses and routes refer to it.
    package let index: Int32
    /// For example `eth0` or `wlan0`.
    package let name: String
    /// Administratively up (IFF_UP).
    package let isUp: Bool
    /// The driver signals a carrier (IFF_LOWER_UP).
    package let hasCarrier: Bool
    /// IFF_LOOPBACK.
    package let isLoopback: Bool
    /// Operational state up or unknown (RFC 2863); some drivers always report unknown.
    package let isOperational: Bool
    /// The ARPHRD_ number of the hardware.
    package let hardware: UInt16

    /// By default an operational Ethernet interface (ARPHRD_ETHER, 1) that is not the loopback.
    package init(
        index: Int32, name: String, isUp: Bool, hasCarrier: Bool, isLoopback: Bool = false,
        isOperational: Bool = true, hardware: UInt16 = 1
    ) {
        self.index = index
        self.name = name
        self.isUp = isUp
        self.hasCarrier = hasCarrier
        self.isLoopback = isLoopback
        self.isOperational = isOperational
        self.hardware = hardware
    }

    /// Whether packets can leave by it.
    package var carries: Bool { isUp && hasCarrier && isOperational }
}

/// An address of an interface (RTM_NEWADDR).
package struct InterfaceAddress: Hashable, Sendable {
    /// The index of the interface, as in ``Link/index``.
    package let link: Int32
    /// The interface's own address, without the length of its prefix.
    package let address: IPAddress
    /// Confirmed unique and not withdrawn: neither tentative nor failed in duplicate detection.
    package let isReady: Bool
    /// Past its preferred lifetime, or temporary (RFC 8981); others are chosen before it.
    package let isSecondChoice: Bool

    /// By default an address that can be used at once and is preferred.
    package init(link: Int32, address: IPAddress, isReady: Bool = true, isSecondChoice: Bool = false) {
        self.link = link
        self.address = address
        self.isReady = isReady
        self.isSecondChoice = isSecondChoice
    }
}
