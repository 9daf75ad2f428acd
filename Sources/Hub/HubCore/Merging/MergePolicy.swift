/// How the hub brings a change together with what it has, by the name that travels in a `conflict`
/// (http.md section 3).
public enum MergePolicy: String, Hashable, Sendable, CaseIterable {
    /// Never changed after it was accepted; the same id with other content is a conflict.
    case appendOnly = "append_only"
    /// Only differences travel, so their order does not matter.
    case commutativeDelta = "commutative_delta"
    /// Each field keeps the value of its last writer, by the hub's hybrid logical clock.
    case lastWriterWins = "lww_server_hlc"
    /// A stale change is a conflict that a person decides.
    case escalate
}
