package import HubProtocol

/// `POST /v1/members`: makes a member, with and without the hub.
package struct AddMemberCall: AgentCall {
    /// A telephone number as it is typed.
    package let phone: String
    /// For people.
    package let name: String
    /// Who makes the member; a store with cashiers needs one who is signed in or named with a PIN.
    package let person: AgentPerson

    /// A new member.
    package init(phone: String, name: String, person: AgentPerson) {
        self.phone = phone
        self.name = name
        self.person = person
    }

    /// Reads the body of a request; a missing member is an empty text.
    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(AgentPerson.names.union(["phone", "name"]))
        self.init(
            phone: try members.text("phone") ?? "", name: try members.text("name") ?? "",
            person: try AgentPerson(members))
    }

    /// `POST`.
    package var request: AgentRequest {
        let members: JSONObject = ["phone": .string(phone), "name": .string(name)]
        return AgentRequest("POST", AgentRoutes.members, body: .object(person.added(to: members)))
    }

    /// The document of `pos member add --json`.
    package struct Response: MemberDocument {
        /// As `--member` of a sale takes it.
        package var memberId = ""
        /// Nil for somebody whose name this terminal does not have.
        package var name: String?
        /// False for somebody who had the telephone number before: nothing was recorded.
        package var isNew = false

        package init(memberId: String, name: String?, isNew: Bool) {
            self.memberId = memberId
            self.name = name
            self.isNew = isNew
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("memberId", &memberId)
            try m.nullable("name", &name)
            try m("created", &isNew)
        }
    }
}
