/// Where the printer is.
package enum PrinterAddress: Hashable, Sendable, CustomStringConvertible {
    /// Everything is appended to a file; its folder must exist.
    case file(String)
    /// The raw port of a network printer, 9100 on most.
    case tcp(host: String, port: UInt16)
    /// A character device: `/dev/usb/lp0`, `/dev/ttyUSB0`.
    case device(String)

    /// - Parameter text: `file:PATH`, `tcp:HOST:PORT` or `/dev/…`. An IPv6 address stands in brackets.
    /// - Throws: the rule that the text breaks, as a sentence for people.
    package init(_ text: String) throws(PrinterAddressError) {
        if text.hasPrefix("file:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.contains("\0") else {
                throw PrinterAddressError("file: needs an absolute path")
            }
            self = .file(path)
        } else if text.hasPrefix("tcp:") {
            self = try Self.tcp(text.dropFirst(4))
        } else if text.hasPrefix("/dev/"), text.count > 5, !text.contains("\0"), !text.contains("/../") {
            self = .device(text)
        } else {
            throw PrinterAddressError("needs file:PATH, tcp:HOST:PORT or a path under /dev")
        }
    }

    private static func tcp(_ text: Substring) throws(PrinterAddressError) -> PrinterAddress {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
            port > 0
        else { throw PrinterAddressError("tcp: needs HOST:PORT with a port from 1 to 65535") }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw PrinterAddressError("tcp: needs brackets around an IPv6 address")
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || $0 == "\0" || $0 == "/" }) else {
            throw PrinterAddressError("tcp: needs a host name or an address")
        }
        return .tcp(host: String(host), port: port)
    }

    /// As it is written in the configuration.
    package var description: String {
        switch self {
        case .file(let path): "file:" + path
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .device(let path): path
        }
    }
}

/// A text that names no printer.
package struct PrinterAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the text needs, to be read behind the name of the key.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
