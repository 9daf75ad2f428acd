/// A member as `GET /v1/members/{id}` answers one (http.md section 6): the fields of the profile, whatever
/// they are, with `id` and `points`. `GET /v1/members?phone=` answers `{"members":[…]}`.
public struct MemberRecord: Hashable, Sendable {
    public let id: String
    public let name: String?
    public let phone: String?
    /// Below zero when two tills spent the same points.
    public let points: Int64
    public let tier: String?
    /// All fields, `points` among them, as the change feed shows them.
    public let value: JSONValue

    /// - Parameter value: the member's value in the change feed.
    public init(id: String, value: JSONValue) {
        self.id = id
        self.value = value
        name = value["name"]?.string
        phone = value["phone"]?.string
        points = value["points"]?.integer ?? 0
        tier = value["tier"]?.string
    }

    public init(json: JSONValue) throws(ShapeError) {
        let id = try json.requiredString("id")
        var fields = json.object ?? [:]
        fields["id"] = nil
        self.init(id: id, value: .object(fields))
    }

    public var json: JSONValue {
        var fields = value.object ?? [:]
        fields["id"] = .string(id)
        fields["points"] = .integer(points)
        return .object(fields)
    }

    /// The digits of a telephone number, by which members are looked up: `+86 138-0013 8000` and
    /// `8613800138000` are the same. Nil when there are none.
    public static func lookupDigits(of phone: String) -> String? {
        let digits = phone.utf8.filter { (0x30...0x39).contains($0) }
        return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
    }
}
