/// What a store tunes from the hub: the value of the feed's `storeConfig` entity, in the shape of the
/// terminal's configuration file, so that a till reads both alike.
package struct StoreSettings: Hashable, Sendable {
    /// By the configuration's key, for example `network.debounceSeconds`.
    package var values: JSONObject

    /// Makes settings of any keys without a check; none by default.
    package init(values: JSONObject = [:]) {
        self.values = values
    }

    /// Reads `{"network":{"debounceSeconds":8}}`. What does not have that shape is kept under its own name,
    /// so that a check of the values can name it.
    package init(json: JSONValue) {
        values = [:]
        add(json, under: "")
    }

    private mutating func add(_ json: JSONValue, under group: String) {
        for (name, member) in json.object ?? [:] {
            let key = group.isEmpty ? name : "\(group).\(name)"
            // An empty object is kept, so that a check can name it.
            if let members = member.object, !members.isEmpty {
                add(member, under: key)
            } else {
                values[key] = member
            }
        }
    }

    /// The value of `storeConfig`, for example `{"network":{"debounceSeconds":8}}`; ``init(json:)`` reads it
    /// back.
    package var json: JSONValue {
        var groups: JSONObject = [:]
        for (key, value) in values {
            groups = Self.adding(value, at: key.split(separator: ".").map(String.init)[...], to: groups)
        }
        return .object(groups)
    }

    private static func adding(
        _ value: JSONValue, at path: ArraySlice<String>, to members: JSONObject
    ) -> JSONObject {
        var members = members
        guard let name = path.first else { return members }
        let rest = path.dropFirst()
        members[name] =
            rest.isEmpty ? value : .object(adding(value, at: rest, to: members[name]?.object ?? [:]))
        return members
    }

    /// The member of `storeConfig` that names the hub's payment service: `none`, `simulator` or
    /// `http`.
    package static let payments = "payments"

    /// Which payment service the hub has; nil where it is missing, as from a hub of an earlier version.
    package var payments: String? { values[Self.payments]?.string }

    /// The ways to pay; nil where the hub does not name them, as a hub of an earlier version.
    package var tenders: TenderList? { values[TenderList.key].flatMap { TenderList(json: $0) } }

    /// The settings that terminals have in their own files too: without the keys for look-ups, what is for
    /// the hub, and what the store alone sets.
    package var forTerminals: StoreSettings {
        var next = self
        for key in [StoreLookupKeys.coupons, StoreLookupKeys.phones, Self.payments] { next.values[key] = nil }
        for setting in StoreSetting.all where setting.isForHub || setting.isOfStoreAlone {
            next.values[setting.key] = nil
        }
        return next
    }

    /// With `changes` made; null takes a setting back.
    package func changed(by changes: JSONObject) -> StoreSettings {
        var next = self
        for (key, value) in changes { next.values[key] = value == .null ? JSONValue?.none : value }
        return next
    }
}

/// The secrets by which the terminals of one store look up coupons and telephone numbers (http.md section 4),
/// each 32 bytes in base64. They travel in the value of the store's `storeConfig`.
package struct StoreLookupKeys: Hashable, Sendable {
    /// The member of `storeConfig` with the key for coupons' codes.
    package static let coupons = "couponKey"
    /// The member of `storeConfig` with the key for telephone numbers.
    package static let phones = "phoneKey"

    /// For the codes of coupons; `LookupKey` makes digests with it.
    package let couponKey: String
    /// For the digits of telephone numbers, likewise.
    package let phoneKey: String

    package init(couponKey: String, phoneKey: String) {
        self.couponKey = couponKey
        self.phoneKey = phoneKey
    }

    /// Reads the value of a `storeConfig`; nil where it has none, as from a hub of before.
    package init?(storeConfig: JSONValue?) {
        guard let couponKey = storeConfig?[Self.coupons]?.string,
            let phoneKey = storeConfig?[Self.phones]?.string
        else { return nil }
        self.init(couponKey: couponKey, phoneKey: phoneKey)
    }

    package func added(to value: JSONValue) -> JSONValue {
        var members = value.object ?? [:]
        members[Self.coupons] = .string(couponKey)
        members[Self.phones] = .string(phoneKey)
        return .object(members)
    }
}
