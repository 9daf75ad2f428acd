internal import Glibc

/// A descriptor that is closed when it is released.
struct Descriptor: ~Copyable {
    let number: Int32

    /// - Parameters:
    ///   - call: the name of the system call, for the error.
    ///   - result: what the call returned.
    init(_ call: String, _ result: Int32) throws(EventLoopError) {
        guard result >= 0 else { throw EventLoopError(call: call, code: errno) }
        number = result
    }

    deinit {
        close(number)
    }
}

/// A system call of the loop failed: free descriptors, memory or threads and try again.
public struct EventLoopError: Error, Equatable, Sendable {
    /// The call that failed, for example `epoll_ctl`.
    public let call: String
    /// Its errno. `EPERM` of `epoll_ctl` is a descriptor that is always ready, a plain file for example.
    public let code: Int32
}
