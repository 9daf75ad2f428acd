package import Testing

/// Waits for other tasks to get there, and records an issue at the caller's line when they do not.
///
/// The wait gives way to the other tasks and looks again; nothing is measured by it.
///
/// - Parameters:
///   - limit: default 60 s by the real clock: some hundred times what the slowest wait takes on a busy
///     machine. Halved, such a machine could fail a good test; doubled, a broken one holds up the run longer.
///   - isTrue: looked at again and again, so it has no side effects that matter.
/// - Returns: whether it became true. False also when the task was cancelled, without an issue.
@discardableResult
package func eventually(
    within limit: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ isTrue: () async -> Bool
) async -> Bool {
    let end = ContinuousClock.now + limit
    while await !isTrue() {
        guard !Task.isCancelled else { return false }
        guard ContinuousClock.now < end else {
            Issue.record("it did not become true within \(limit)", sourceLocation: sourceLocation)
            return false
        }
        await Task.yield()
    }
    return true
}
