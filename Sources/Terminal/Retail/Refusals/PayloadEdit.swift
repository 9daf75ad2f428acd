package import HubProtocol

/// A person's changes of a refused mutation's payload, as `pos sync edit` names them.
package struct PayloadEdit: Sendable {
    /// Why the payload cannot be changed so.
    package enum Failure: Error, Hashable, Sendable {
        /// There is no change.
        case nothingToEdit
        /// The path of a change leads through something that has no members, or past the end of an array.
        case noSuchPlace(String)
    }

    private let payload: JSONValue?
    private let set: [String: JSONValue]
    private let unset: [String]

    /// Changes by paths, `lines.0.sku` for example; nil as `payload` starts from the refused one.
    package init(
        payload: JSONValue?, set: [String: JSONValue], unset: [String]
    ) throws(Failure) {
        guard payload != nil || !set.isEmpty || !unset.isEmpty else { throw .nothingToEdit }
        (self.payload, self.set, self.unset) = (payload, set, unset)
    }

    /// `old` with the changes made: first the new values in the order of their paths, then the removals.
    package func applied(to old: JSONValue) throws(Failure) -> JSONValue {
        var result = payload ?? old
        for (path, value) in set.sorted(by: { $0.key < $1.key }) {
            result = try Self.setting(path, to: value, in: result)
        }
        for path in unset { result = try Self.setting(path, to: nil, in: result) }
        return result
    }

    private static func setting(
        _ path: String, to value: JSONValue?, in document: JSONValue
    ) throws(Failure) -> JSONValue {
        let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let changed = setting(steps[...], to: value, in: document) else {
            throw .noSuchPlace(path)
        }
        return changed
    }

    /// Nil when the path leads through something that has no members.
    private static func setting(
        _ steps: ArraySlice<String>, to value: JSONValue?, in document: JSONValue
    ) -> JSONValue? {
        guard let step = steps.first else { return value }
        switch document {
        case .object(var members):
            if steps.count == 1 {
                members[step] = value
                return .object(members)
            }
            guard let member = members[step],
                let changed = setting(steps.dropFirst(), to: value, in: member)
            else { return nil }
            members[step] = changed
            return .object(members)
        case .array(var elements):
            guard let index = Int(step), elements.indices.contains(index) else { return nil }
            if steps.count == 1, value == nil {
                elements.remove(at: index)
                return .array(elements)
            }
            guard let changed = setting(steps.dropFirst(), to: value, in: elements[index]) else { return nil }
            elements[index] = changed
            return .array(elements)
        case .null, .bool, .integer, .double, .string: return nil
        }
    }
}
