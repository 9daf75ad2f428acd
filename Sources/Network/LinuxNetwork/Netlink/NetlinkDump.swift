internal import CLinux
internal import Glibc

/// Reads all links, addresses and routes from the kernel.
struct NetlinkDump {
    enum Failure: Error, Equatable {
        /// The tables changed while they were read. Read them again.
        case disturbed
        /// `call` failed with `code` (errno).
        case refused(call: String, code: Int32)
    }

    /// How long the kernel may take for one part of a dump before it counts as failed.
    private static let timeout = timeval(tv_sec: 2, tv_usec: 0)
    /// Large enough for every part of a dump; the kernel writes at most 32 KiB into one.
    private static let bufferSize = 64 << 10

    /// The present tables. Blocks for the kernel, so it must not run on a cooperative thread.
    static func read() throws(Failure) -> KernelTables {
        let socket = clinux_open_route_socket(0, 0)
        guard socket >= 0 else { throw .refused(call: "socket", code: errno) }
        defer { close(socket) }
        var timeout = Self.timeout
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var tables = KernelTables()
        for (index, type) in [RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE].enumerated() {
            guard clinux_request_dump(socket, UInt16(type), UInt32(index + 1)) == 0 else {
                throw .refused(call: "sendto", code: errno)
            }
            try receive(from: socket, into: &tables)
        }
        return tables
    }

    /// Reads the parts of one dump up to its end.
    private static func receive(from socket: Int32, into tables: inout KernelTables) throws(Failure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 8)
        defer { buffer.deallocate() }
        var wasDisturbed = false
        while true {
            var (truncated, fromKernel): (Int32, Int32) = (0, 0)
            let count = clinux_receive(socket, buffer.baseAddress, buffer.count, 0, &truncated, &fromKernel)
            guard count > 0 else { throw .refused(call: "recvmsg", code: count == 0 ? EPIPE : errno) }
            guard fromKernel != 0 else { continue }
            guard truncated == 0 else { throw .disturbed }
            let (messages, isDisturbed) = NetlinkParser.messages(
                of: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            wasDisturbed = wasDisturbed || isDisturbed
            for message in messages {
                switch message {
                case .link(let link): tables.links.append(link)
                case .address(let address): tables.addresses.append(address)
                case .route(let route): tables.routes.append(route)
                case .other: break
                case .failed(let code): throw .refused(call: "dump", code: code)
                case .done:
                    // Read to the end first: remaining parts would be taken for those of the next dump.
                    if wasDisturbed { throw .disturbed }
                    return
                }
            }
        }
    }
}
