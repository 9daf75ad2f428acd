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
