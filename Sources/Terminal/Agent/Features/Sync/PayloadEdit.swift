internal import AgentAPI
internal import HubProtocol

/// Applies the changes of `pos sync edit` to a payload.
struct PayloadEdit {
    private let changes: PayloadChanges

    init(_ changes: PayloadChanges) throws(TerminalError) {
        guard changes.payload != nil || !changes.set.isEmpty || !changes.unset.isEmpty else {
            throw TerminalError(
                .usage, code: "nothing_to_edit",
                "name what to change with --set PATH=VALUE, --unset PATH or --payload FILE")
        }
        self.changes = changes
    }

    /// The payload with the changes made.
    func applied(to old: JSONValue) throws(TerminalError) -> JSONValue {
        var result = changes.payload ?? old
        for (path, value) in changes.set.sorted(by: { $0.key < $1.key }) {
            result = try Self.setting(path, to: value, in: result)
        }
        for path in changes.unset { result = try Self.setting(path, to: nil, in: result) }
        return result
    }

    private static func setting(
        _ path: String, to value: JSONValue?, in document: JSONValue
    ) throws(TerminalError) -> JSONValue {
        let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let changed = setting(steps[...], to: value, in: document) else {
            throw TerminalError(.usage, code: "no_such_member", "the payload has no place `\(path)`")
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
