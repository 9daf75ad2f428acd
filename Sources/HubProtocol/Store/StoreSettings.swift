/// What a store tunes from the hub: the value of the feed's `storeConfig` entity, in the shape of the
/// terminal's configuration file, so that a till reads both alike.
public struct StoreSettings: Hashable, Sendable {
    /// By the configuration's key, for example `network.debounceSeconds`.
    public var values: JSONObject

    public init(values: JSONObject = [:]) {
        self.values = values
    }

    /// Reads `{"network":{"debounceSeconds":8}}`. What does not have that shape is kept under its own name,
    /// so that whoever checks the values can name it.
    public init(json: JSONValue) {
        var values: JSONObject = [:]
        for (group, member) in json.object ?? [:] {
            guard let members = member.object else {
                values[group] = member
                continue
            }
            for (name, value) in members { values["\(group).\(name)"] = value }
        }
        self.values = values
    }

    public var json: JSONValue {
        var groups: JSONObject = [:]
        for (key, value) in values {
            let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                groups[key] = value
                continue
            }
            var members = groups[parts[0]]?.object ?? [:]
            members[parts[1]] = value
            groups[parts[0]] = .object(members)
        }
        return .object(groups)
    }

    /// With `changes` made; null takes a setting back.
    public func changed(by changes: JSONObject) -> StoreSettings {
        var next = self
        for (key, value) in changes { next.values[key] = value == .null ? JSONValue?.none : value }
        return next
    }
}
