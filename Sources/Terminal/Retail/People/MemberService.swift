internal import HubProtocol

/// Finds out who is meant by what the cashier typed: a member's id or telephone number.
struct MemberService: Sendable {
    let hub: any MemberFinding
    let book: any MemberBook
    let inquiry: HubInquiry

    /// A member, and whether the hub or the copy has them.
    struct Found: Sendable {
        let member: Member
        let isKnown: Bool
        /// Whether the hub itself responded.
        var isFromHub = false
        /// Whether the hub was requested just now, and did not respond.
        var isHubAway = false
    }

    /// The member of the sale. An unknown member stays as typed: no sale is refused for it.
    func find(_ typed: String, policy: CheckoutPolicy, within waiting: SaleWaiting) async -> Found {
        let found = typed.isEmpty ? nil : await known(typed, policy.countryCode, within: waiting)
        guard let found, found.member.id.utf8.count <= TextBound.name else {
            return Found(member: Member(id: typed, name: nil), isKnown: false)
        }
        return found
    }

    /// As the terminal's copy has the member, without the hub.
    func copied(_ typed: String, policy: CheckoutPolicy) async -> Found? {
        guard book.hasMembers else { return nil }
        // A copy that cannot be read has no members.
        return ((try? await Self.find(typed, policy.countryCode, in: book)) ?? nil).map {
            Found(member: $0, isKnown: true)
        }
    }

    /// The one member with a telephone number; nil: nobody, or several.
    func member(phone: String, policy: CheckoutPolicy, within waiting: SaleWaiting) async -> Member? {
        await known(within: waiting) { members throws(InquiryError) in
            try await Self.find(phone: phone, policy.countryCode, in: members)
        }?.member
    }

    private func known(_ typed: String, _ country: Int?, within waiting: SaleWaiting) async -> Found? {
        await known(within: waiting) { members throws(InquiryError) in
            try await Self.find(typed, country, in: members)
        }
    }

    private func known(
        within waiting: SaleWaiting,
        _ find: @escaping @Sendable (any MemberFinding) async throws(InquiryError) -> Member?
    ) async -> Found? {
        let isAwaited = inquiry.isAwaited(.member)
        let found = await inquiry.query(.member, within: waiting) { [hub] () throws(InquiryError) in
            try await find(hub)
        }
        if let found { return found.map { Found(member: $0, isKnown: true, isFromHub: true) } }
        guard book.hasMembers else { return nil }
        // A copy that cannot be read has no members.
        return ((try? await find(book)) ?? nil).map {
            Found(member: $0, isKnown: true, isHubAway: isAwaited)
        }
    }

    /// By id; else by a telephone number.
    private static func find(
        _ typed: String, _ country: Int?, in members: any MemberFinding
    ) async throws(InquiryError) -> Member? {
        if let member = try await members.member(typed) { return member }
        return try await find(phone: typed, country, in: members)
    }

    /// By a telephone number that one member has, or had before all others: a member who gets another
    /// member's number later does not hide that member.
    ///
    /// - Parameter country: completes a number as it is dialled in the store's country, when nobody has the
    ///   number as it was typed.
    private static func find(
        phone: String, _ country: Int?, in members: any MemberFinding
    ) async throws(InquiryError) -> Member? {
        guard !MemberRecord.personalForms(of: phone).isEmpty else { return nil }
        var found = try await members.members(phone: phone)
        if found.isEmpty, let full = MemberRecord.international(phone, in: country), full != phone {
            found = try await members.members(phone: full)
        }
        let first = found.map { $0.phoneSince ?? "" }.min()
        let owners = found.filter { ($0.phoneSince ?? "") == first }
        return owners.count == 1 ? owners.first : nil
    }
}
