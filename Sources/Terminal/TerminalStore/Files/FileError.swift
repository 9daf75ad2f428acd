/// A call on a file failed. Nothing that was durable before is lost.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or folder that the call was made on.
    public let path: String
    /// The system call, for example `fsync`.
    public let call: String
    /// errno.
    public let code: Int32

    /// Makes an error from a failed call and its `errno`.
    public init(path: String, call: String, code: Int32) {
        self.path = path
        self.call = call
        self.code = code
    }

    /// One line for people with call, path and code.
    public var description: String { "\(call) of \(path) failed with error \(code)" }
}
