internal import ArgumentParser
internal import Base
internal import HubCore
internal import HubProtocol
internal import HubServer

/// `pos-hub members`: the way back from a terminal that changed members.
struct MembersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members", abstract: "Look after the chain's members.", subcommands: [Revert.self])

    struct Revert: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take back what one terminal changed of members since a moment.",
            discussion:
                "Each field becomes what it was, unless somebody else changed it since; members that the "
                + "terminal made are withdrawn once nothing of them is left. With --points the points that it "
                + "added or took off are moved back instead, those of its sales too. Revoke the terminal first."
        )

        @OptionGroup var options: StoreOptions

        @Option(help: "The terminal's id.")
        var terminal: String

        @Option(help: "From when on, by the hub's clock: an RFC 3339 time; at most 90 days ago.")
        var since: String

        @Flag(help: "Move its points back, and leave the profiles.")
        var points = false

        func run() async throws {
            guard let moment = Timestamp.milliseconds(of: since) else {
                throw CommandFailure.usage("--since is an RFC 3339 time such as 2026-11-26T08:00:00Z")
            }
            let reversal = MemberReversal(
                terminalId: terminal, since: moment, part: points ? .points : .profiles)
            let response = try await HubAccess(configuration: options.configuration())
                .perform(.revertMembers(reversal))
            try options.show(response) { response in
                "taken back: \(response["reverted"]?.integer ?? 0) changes, "
                    + "\(response["withdrawn"]?.integer ?? 0) new members withdrawn; "
                    + "as they are: \(response["kept"]?.integer ?? 0), which others changed since"
            }
        }
    }
}
