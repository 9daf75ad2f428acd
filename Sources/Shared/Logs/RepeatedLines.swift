internal import Dispatch
internal import Synchronization

/// Keeps what goes wrong again and again from filling a log: while a database is away, each of a thousand
/// terminals is refused several times a second for the same reason.
///
/// The first line of a kind is written at once. Those of the next minute are counted, and said as one at its
/// end.
final class RepeatedLines: Sendable {
    /// How often each kind came again within its minute.
    private let counts = Mutex<[String: Int]>([:])
    private let after: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// With half of it an outage of an hour has 240 lines; with twice as much, who looks waits for two
    /// minutes until the log says that it goes on.
    static let seconds = 60
    /// A kind is the program's own text with a reason. Further ones are written as they come.
    static let mostKinds = 256

    /// - Parameter after: calls back a minute later.
    init(after: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = RepeatedLines.later) {
        self.after = after
    }

    /// Whether a line of this kind is to be written now.
    ///
    /// - Parameter report: gets how many further ones came within the minute; not called where none did.
    func isFirst(_ kind: String, report: @escaping @Sendable (_ count: Int) -> Void) -> Bool {
        let (isFirst, isCounted) = counts.withLock { counts in
            if let count = counts[kind] {
                counts[kind] = count + 1
                return (false, true)
            }
            guard counts.count < Self.mostKinds else { return (true, false) }
            counts[kind] = 0
            return (true, true)
        }
        guard isFirst, isCounted else { return isFirst }
        after { [self] in
            let count = counts.withLock { $0.removeValue(forKey: kind) } ?? 0
            if count > 0 { report(count) }
        }
        return true
    }

    @Sendable private static func later(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(seconds), execute: body)
    }
}
