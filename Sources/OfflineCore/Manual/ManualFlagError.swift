/// Why the manual flag was not saved. The mode stays as it was.
public enum ManualFlagError: Error, Hashable, Sendable {
    /// A call on `path` failed with `code` (errno). Free space or mend the permissions and try again.
    case notDurable(path: String, call: String, code: Int32)
}
