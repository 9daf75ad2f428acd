internal import AgentAPI
internal import ArgumentParser
internal import Agent
internal import HubProtocol

/// `pos member add`: members whom this terminal makes.
struct MemberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "member", abstract: "Makes members, with and without the hub.", subcommands: [Add.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a member, or names the one who has the telephone number.",
            discussion: """
                The member can buy and earn points at once, offline too. Where two terminals make a member each of \
                one person, the hub merges them by the telephone number.
                """)

        @OptionGroup var options: HomeOptions
        @Option(help: "The telephone number, 6 to 20 digits.") var phone: String
        @Option(help: "The name.") var name: String
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = AddMemberCall(phone: phone, name: name, person: try person.person())
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: Self.line)
            }
        }

        private static func line(_ added: AddMemberCall.Response, _ text: any PosTexts) -> String {
            let name = added.name.map { " (\($0.printable))" } ?? ""
            let (id, member) = (added.memberId, added.memberId + name)
            return added.isNew
                ? text.memberRecorded(member, id: id)
                : text.memberKnown(member, id: id)
        }
    }
}
