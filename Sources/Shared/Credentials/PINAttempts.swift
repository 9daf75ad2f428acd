/// The limit of wrong PINs: after five wrong PINs in a row a cashier waits a minute at the till where
/// that happened, and a minute more for each further one.
///
/// A value without a clock; moments are milliseconds, of any clock that does not step back.
package struct PINAttempts: Sendable {
    private struct Row: Sendable {
        var wrong = 0
        var lastWrong: Int64 = 0
    }

    private var rows: [String: Row] = [:]

    /// Wrong PINs in a row that are forgiven.
    package static let forgiven = 5
    /// What a wait lasts, in milliseconds.
    package static let wait: Int64 = 60_000
    /// The most waits that are remembered; the oldest of more are forgiven.
    private static let capacity = 10_000

    /// Nobody has to wait.
    package init() {}

    /// How long `person` is to wait yet, in milliseconds; nil: may try.
    package func wait(of person: String, at now: Int64) -> Int64? {
        guard let row = rows[person], row.wrong >= Self.forgiven else { return nil }
        let left = row.lastWrong + Self.wait - now
        return left > 0 ? left : nil
    }

    /// Counts one more wrong PIN; from ``forgiven`` on, each begins a new wait at `now`, in milliseconds.
    package mutating func noteWrong(_ person: String, at now: Int64) {
        if rows[person] == nil, rows.count >= Self.capacity,
            let oldest = rows.min(by: { $0.value.lastWrong < $1.value.lastWrong })
        {
            rows[oldest.key] = nil
        }
        rows[person, default: Row()].wrong += 1
        rows[person]?.lastWrong = now
    }

    /// Forgives all wrong PINs of `person`.
    package mutating func noteRight(_ person: String) {
        rows[person] = nil
    }
}
