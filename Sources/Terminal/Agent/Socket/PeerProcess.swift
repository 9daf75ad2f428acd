import Foundation
import Glibc
internal import Retail

/// The processes at the other end of the agent's socket.
enum PeerProcess {
    /// Where the caller of `socket` runs.
    ///
    /// - Parameter isFrontEnd: whether the caller says that its process is the front end; a shell that starts
    ///   a program for each request is not.
    static func caller(of socket: Int32, isFrontEnd: Bool, bootId: String) -> FrontEndProcess {
        guard isFrontEnd, let pid = pid(of: socket), case .startedAt(let start) = find(pid) else {
            return FrontEndProcess(bootId: bootId)
        }
        return FrontEndProcess(bootId: bootId, identity: .init(pid: pid, startedAt: start))
    }

    /// Who connected (unix(7), SO_PEERCRED); nil: nobody whom this process can see.
    private static func pid(of socket: Int32) -> Int32? {
        // pid, uid and gid.
        var credentials: (Int32, UInt32, UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0, credentials.0 > 0
        else { return nil }
        return credentials.0
    }

    /// What the system has under a process number now.
    static func find(_ pid: Int32) -> FrontEndProcess.Found {
        guard let file = fopen("/proc/\(pid)/stat", "r") else { return errno == ENOENT ? .none : .unknown }
        defer { fclose(file) }
        // The name of its program ends at the last bracket and is at most 15 bytes; what is wanted is within
        // some 200 bytes behind it.
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = fread(&bytes, 1, bytes.count, file)
        // One that has ended and is not yet awaited by its parent cannot come back either.
        let fields = String(decoding: bytes.prefix(count), as: UTF8.self)
            .split(separator: ")").last?.split(separator: " ")
        guard let fields, fields.count > 19, let start = UInt64(fields[19]) else { return .unknown }
        return ["Z", "X"].contains(fields[0]) ? .none : .startedAt(start)
    }
}
