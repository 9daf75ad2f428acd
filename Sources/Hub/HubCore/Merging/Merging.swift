package import HubProtocol

/// The merge policies as functions of what the hub has and what comes in, without a clock and without a
/// store.
package enum Merging {
    /// What `append_only` makes of something that may be there already.
    package enum Appending: Hashable, Sendable {
        /// It is new.
        case append
        /// The same was accepted before.
        case same
        /// Something else was accepted under this id.
        case conflict
    }

    /// `append_only`: the first content stays.
    ///
    /// - Parameter known: the digest of what is there; nil when nothing is.
    package static func append(_ digest: String, to known: String?) -> Appending {
        guard let known else { return .append }
        return known == digest ? .same : .conflict
    }

    /// `commutative_delta`: the sum, whatever the order of the differences.
    ///
    /// - Returns: nil when the sum does not fit 64 bits; nothing is changed then.
    package static func add(_ delta: Int64, to sum: Int64) -> Int64? {
        let (result, overflows) = sum.addingReportingOverflow(delta)
        return overflows ? nil : result
    }

    /// `escalate`: whether a change was made on a state that is no longer the hub's.
    ///
    /// - Parameter base: the version that the change was made on; nil when its author named none, which is
    ///   taken as "whatever there is".
    package static func isStale(base: Int64?, current: Int64?) -> Bool {
        guard let base, let current else { return false }
        return base < current
    }

    /// A field's value with the hub's time of its last writing.
    package struct Register: Hashable, Sendable {
        /// Null when the field was taken away.
        package let value: JSONValue
        /// By the hub's clock alone; a terminal's clock never decides.
        package let writtenAt: HybridLogicalClock

        /// Makes a register; a null `value` takes the field away.
        package init(value: JSONValue, writtenAt: HybridLogicalClock) {
            self.value = value
            self.writtenAt = writtenAt
        }
    }

    /// `lww_server_hlc`: each field as its last writer left it. Fields that one side does not have are kept,
    /// so that a field which only a newer till knows survives an older one.
    ///
    /// Commutative, associative and idempotent, as long as no two writings share a moment, which the hub's
    /// clock sees to.
    package static func lastWritten(
        _ left: [String: Register], _ right: [String: Register]
    ) -> [String: Register] {
        left.merging(right) { one, other in other.writtenAt < one.writtenAt ? one : other }
    }

    /// `lww_server_hlc` for a whole object: `change` written at `now` over `state`, which is older.
    package static func written(_ change: JSONValue, over state: JSONValue?) -> JSONValue {
        let before = HybridLogicalClock()
        var after = before
        after.tick(now: 1)
        let registers = lastWritten(
            registers(of: state ?? [:], at: before), registers(of: change, at: after))
        return .object(JSONObject(registers.mapValues(\.value)).filter { $0.value != .null })
    }

    /// The same for a change that carries more fields than it writes, those of its author's state that travel
    /// back as they came: where the hub has a state, they are not taken.
    ///
    /// - Parameter changed: the fields that `change` writes; nil: all.
    package static func written(
        _ change: JSONValue, naming changed: Set<String>?, over state: JSONValue?
    ) -> JSONValue {
        guard let changed, state != nil else { return written(change, over: state) }
        return written(.object((change.object ?? [:]).filter { changed.contains($0.key) }), over: state)
    }

    private static func registers(of object: JSONValue, at time: HybridLogicalClock) -> [String: Register] {
        (object.object ?? [:]).mapValues { Register(value: $0, writtenAt: time) }
    }
}

/// Why a change is a conflict, by the name that travels with it (http.md section 3; all policies are in
/// docs/reference/merge-policies.md).
package enum MergePolicy: String, Hashable, Sendable {
    /// Never changed after it was accepted; the same id with other content is a conflict.
    case appendOnly = "append_only"
    /// A stale change is a conflict that a person decides.
    case escalate
}
