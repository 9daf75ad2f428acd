/// A network interface as the kernel announces it (RTM_NEWLINK).
public struct Link: Hashable, Sendable {
    public let index: Int32
    public let name: String
    /// Administratively up (IFF_UP).
    public let isUp: Bool
    /// The driver signals a carrier (IFF_LOWER_UP).
    public let hasCarrier: Bool
    public let isLoopback: Bool
    /// Operational state up or unknown (RFC 2863); some drivers always report unknown.
    public let isOperational: Bool
    /// The ARPHRD_ number of the hardware.
    public let hardware: UInt16

    public init(
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
    public var carries: Bool { isUp && hasCarrier && isOperational }
}

/// An address of an interface (RTM_NEWADDR).
public struct InterfaceAddress: Hashable, Sendable {
    public let link: Int32
    public let address: IPAddress
    /// Confirmed unique and not withdrawn: neither tentative nor failed in duplicate detection.
    public let isReady: Bool
    /// Past its preferred lifetime, or temporary (RFC 8981); others are chosen before it.
    public let isSecondChoice: Bool

    public init(link: Int32, address: IPAddress, isReady: Bool = true, isSecondChoice: Bool = false) {
        self.link = link
        self.address = address
        self.isReady = isReady
        self.isSecondChoice = isSecondChoice
    }
}
