internal import Glibc

/// How many files and connections this process, and those that it starts, may have open.
enum DescriptorLimit {
    /// Raises the limit as far as the system allows.
    ///
    /// - Throws: ``BenchFailure/notHere(_:)`` when that is below `wanted`.
    static func raise(to wanted: UInt) throws(BenchFailure) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max >= wanted else {
            throw .notHere("\(limit.rlim_max) descriptors; \(wanted) are needed at each end")
        }
    }
}
