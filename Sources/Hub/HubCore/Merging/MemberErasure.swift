package import HubProtocol

/// Takes a member's personal data out of what the hub keeps of a journal.
///
/// A mutation that wrote the profile loses its payload, a sale of an earlier schema the member's name; ids,
/// sums, sequence and links stay. The hash that the terminal computed stays beside the document: the chain
/// goes on to link, only this entry's hash can no longer be computed anew from what the hub has.
package enum MemberErasure {
    /// What replaces a payload that was erased.
    private static let erasedPayload: JSONValue = ["erased": true]

    /// The types of mutation that may hold personal data of a member.
    package static let types = ["member.created", "member.updated", "order.completed"]

    /// - Parameter document: a mutation as it is kept.
    /// - Returns: the mutation without what is personal of the member `id`; nil when it holds nothing of it.
    package static func erased(_ document: JSONValue, of id: String) -> JSONValue? {
        guard var fields = document.object, let payload = fields["payload"],
            var members = payload.object
        else { return nil }
        switch fields["type"]?.string {
        case "member.created", "member.updated":
            guard (members["memberId"]?.string ?? fields["entityId"]?.string) == id,
                payload != erasedPayload
            else { return nil }
            fields["payload"] = erasedPayload
        case "order.completed":
            guard members["memberId"]?.string == id, members["memberName"] != nil else { return nil }
            members["memberName"] = nil
            fields["payload"] = .object(members)
        case _: return nil
        }
        return .object(fields)
    }
}
