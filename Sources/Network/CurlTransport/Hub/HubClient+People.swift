public import HubProtocol

/// Requests about cashiers and members (http.md section 6).
extension HubClient {
    /// Whether `pin` is the cashier's; returns when it is, with name and role as far as the hub gave them.
    ///
    /// - Throws: `.refused` with code `pin_refused` when it is not, or no cashier has that id, and with
    ///   `pin_locked` after too many wrong ones.
    @discardableResult
    public func openSession(
        cashierId: String, pin: String
    ) async throws(HubCallError) -> (name: String?, role: String?) {
        let body: JSONValue = ["cashierId": .string(cashierId), "pin": .string(pin)]
        let call = HubCall(.post, template: Routes.sessions, body: body.canonicalBytes)
        let responded = try await result(of: call) { json throws(ShapeError) in
            // A role that only a newer hub has is no reason to refuse its cashier.
            (
                id: try json.requiredString("cashierId"), name: json["name"]?.string,
                role: json["role"]?.string
            )
        }
        guard responded.id == cashierId else {
            throw .notContract(detail: "the response is about another cashier")
        }
        return (responded.name, responded.role)
    }

    /// The member with `id`; nil when the hub has none.
    public func member(id: String) async throws(HubCallError) -> MemberRecord? {
        let call = HubCall(.get, template: Routes.member, path: Routes.member.filled("id", id))
        do throws(HubCallError) {
            return try await result(of: call, MemberRecord.init(json:))
        } catch {
            guard case .refused(let problem) = error, problem.code == .notFound else { throw error }
            return nil
        }
    }

    /// The members with the digits of `phone`, at most 20, by id.
    public func members(phone: String) async throws(HubCallError) -> [MemberRecord] {
        let call = HubCall(
            .get, template: Routes.members, path: "\(Routes.members)?phone=\(phone.percentEncoded)")
        return try await result(of: call) { json throws(ShapeError) in
            var members: [MemberRecord] = []
            for member in try json.requiredArray("members") { members.append(try MemberRecord(json: member)) }
            return members
        }
    }
}
