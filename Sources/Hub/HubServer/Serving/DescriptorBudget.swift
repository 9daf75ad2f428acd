internal import Glibc

/// How many connections a process may have, by how many files the system lets it open.
///
/// A process without a descriptor left cannot open its store's files nor accept a command, and libdispatch
/// ends it: its monitor opens `/proc/self/task/N/stat` and traps where it cannot. So connections never get
/// all of them.
enum DescriptorBudget {
    /// Kept for stores, local sockets and what the runtime opens by itself. A hub on PostgreSQL has some 20
    /// descriptors open besides connections, one on SQLite some 30; a command over the local socket needs
    /// one. Halved, a few commands at once would use it up.
    static let reserve = 64
    /// Connections that are being closed and those that the system accepted meanwhile, beside the maximum: a
    /// burst of 2,000 a second brings 20 in the 10 ms that an event loop takes for its round.
    static let closing = 32
    /// Connections of one local socket: a quarter of the reserve.
    static let localConnections = 16
    /// Open before the first connection, measured: 17 to 31.
    private static let own = 48
    /// Beyond it memory is the limit: 16,384 connections take some 700 MB at 45 KB each. Twice the tills
    /// of a chain of 8,000; doubled, anybody could take 1.4 GB.
    static let mostConnections = 16_384
    /// Fewer serve nobody.
    static let fewestConnections = 16

    /// Raises the soft limit to the hard one.
    ///
    /// - Returns: how many descriptors the process may have.
    static func raised() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = soft }
        return Int(clamping: limit.rlim_cur)
    }

    /// The connections of the network's listener.
    static func connections(ofDescriptors limit: Int) -> Int {
        max(fewestConnections, min(mostConnections, limit - reserve - closing - own))
    }
}
