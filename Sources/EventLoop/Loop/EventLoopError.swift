/// A system call of the loop failed: free descriptors, memory or threads and try again.
public struct EventLoopError: Error, Equatable, Sendable {
    /// The call that failed, for example `epoll_ctl`.
    public let call: String
    /// Its errno. `EPERM` of `epoll_ctl` is a descriptor that is always ready, a plain file for example.
    public let code: Int32
}
