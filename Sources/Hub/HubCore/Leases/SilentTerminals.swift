/// The terminals that have leases and of which nothing has come for a week.
package struct SilentTerminals: Hashable, Sendable {
    /// Without a sign of life for so long a terminal counts as one that may not come back: seven days, in
    /// milliseconds. Halved, each long weekend is an alarm; doubled, what a stolen till was lent is away for
    /// two weeks before anybody looks.
    package static let silence: Int64 = 7 * 86_400_000

    private var lastSigns: [String: Int64]
    private let now: Int64

    /// - Parameters:
    ///   - lastContacts: when the last thing came of each terminal, in milliseconds since 1970.
    ///   - lastLent: when each terminal was lent something last, for which it has to call, too.
    package init(lastContacts: [String: Int64], lastLent: [String: Int64], at now: Int64) {
        lastSigns = lastLent.merging(lastContacts.filter { lastLent[$0.key] != nil }) { max($0, $1) }
        self.now = now
    }

    /// When the last sign of life of a terminal came; nil for one that is not silent, or has no lease.
    package func since(_ terminalId: String) -> Int64? {
        lastSigns[terminalId].flatMap { now - $0 >= Self.silence ? $0 : nil }
    }

    /// All of them, in the order of their ids.
    package var all: [(terminalId: String, since: Int64)] {
        lastSigns.keys.sorted().compactMap { id in since(id).map { (id, $0) } }
    }
}
