import Glibc
import Testing

/// How many files the tests may open: those that crowd a program have the other end of each connection.
enum OpenFiles {
    /// Raises the limit of this process to what the machine allows.
    static func raiseLimit(toAtLeast count: rlim_t) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        try #require(limit.rlim_max >= count, "this machine lets a test open too few files")
    }
}
