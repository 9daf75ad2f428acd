/// A member as a sale names one.
package struct Member: Hashable, Sendable {
    /// The member's id at the hub; for a member that was not found, the text as typed.
    package let id: String
    /// For the receipt, at most 100 characters of Unicode; nil: not known.
    package let name: String?
    /// Since when, by the hub's clock, this member has the phone number that they were found by; nil: since
    /// the beginning or unknown.
    package let phoneSince: String?
    /// The balance as the source has it; nil: unknown.
    package let points: Int64?

    /// Makes a member; an empty `name` becomes nil, a longer one than 100 characters is cut.
    package init(id: String, name: String?, phoneSince: String? = nil, points: Int64? = nil) {
        self.points = points
        self.id = id
        self.phoneSince = phoneSince
        // What a hub calls somebody must not make a sale larger than a request may be.
        self.name = name.flatMap { name in
            name.isEmpty ? nil : String(String.UnicodeScalarView(name.unicodeScalars.prefix(100)))
        }
    }
}

/// Finds members: at the hub's service `member`, or in the terminal's own copy.
package protocol MemberFinding: Sendable {
    /// Nil: no member has that id.
    func member(_ id: String) async throws(InquiryError) -> Member?

    /// Everybody with the digits of this telephone number.
    func members(phone: String) async throws(InquiryError) -> [Member]
}

/// The members in the terminal's own copy.
package protocol MemberBook: MemberFinding {
    /// Kept in memory.
    var hasMembers: Bool { get }
}
