/// Where a front end ran when it last sent something, from which follows after a restart of the agent whether
/// it can still come back.
package struct FrontEndProcess: Hashable, Sendable {
    /// A process of this machine. Its number alone is given again; with its start it is one process.
    package struct Identity: Hashable, Sendable {
        /// Above 0.
        package let pid: Int32
        /// When it began, in clock ticks since the system's start (proc(5), field 22 of `stat`).
        package let startedAt: UInt64

        package init(pid: Int32, startedAt: UInt64) {
            (self.pid, self.startedAt) = (pid, startedAt)
        }
    }

    /// What the system has under a process number now.
    package enum Found: Hashable, Sendable {
        /// No process.
        case none
        /// A process that began then.
        case startedAt(UInt64)
        /// The system does not say.
        case unknown
    }

    /// The id of the system's start; empty where the system has none.
    package let bootId: String
    /// The process that is the front end; nil where nobody said that it was one process.
    package let identity: Identity?

    package init(bootId: String, identity: Identity? = nil) {
        (self.bootId, self.identity) = (bootId, identity)
    }

    /// `BOOTID`, or `BOOTID PID START`; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: self.init(bootId: text)
        case 3:
            guard let pid = Int32(parts[1]), pid > 0, let start = UInt64(parts[2]) else { return nil }
            self.init(bootId: String(parts[0]), identity: Identity(pid: pid, startedAt: start))
        case _: return nil
        }
    }

    /// What ``init(_:)`` reads.
    package var text: String {
        bootId + (identity.map { " \($0.pid) \($0.startedAt)" } ?? "")
    }

    /// Whether it cannot come back: the system has started again since, or its process is not there any more.
    ///
    /// - Parameters:
    ///   - now: the id of the system's start; empty: unknown.
    ///   - find: what the system has under a process number.
    package func hasEnded(now: String, find: (Int32) -> Found) -> Bool {
        guard !bootId.isEmpty, !now.isEmpty else { return false }
        guard bootId == now else { return true }
        guard let identity else { return false }
        switch find(identity.pid) {
        case .none: return true
        case .startedAt(let start): return start != identity.startedAt
        case .unknown: return false
        }
    }
}
