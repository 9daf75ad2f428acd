internal import ArgumentParser
internal import Base
internal import HubCore
internal import HubProtocol
internal import HubServer
internal import Pricing

/// `pos-hub members`: members who may be one person, the way back from a terminal that changed members, and
/// the points that wait.
struct MembersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members", abstract: "Look after the chain's members.",
        subcommands: [Doubles.self, Merge.self, Revert.self, Release.self])

    struct Doubles: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Members of one telephone number, who may be one person; changes nothing.",
            discussion:
                "A number is compared without 0 and country in front, so numbers of two countries can be listed "
                + "together. `pos-hub members merge` makes two of them one.")

        @OptionGroup var options: StoreOptions

        @Option(help: "How many numbers at most, 1 to 10000.")
        var limit: Int64 = 100

        func validate() throws {
            guard (1...10_000).contains(limit) else {
                throw ValidationError("--limit takes a number from 1 to 10000")
            }
        }

        func run() async throws {
            try await options.show(.doubleMembers(limit: limit)) { response in
                let groups = (response["groups"]?.array ?? []).map { group in
                    (group["members"]?.array ?? []).map(Self.line).joined(separator: "\n")
                }
                guard !groups.isEmpty else { return "no two members have one telephone number" }
                let more = response["hasMore"]?.bool == true ? "\n\nthere are more: --limit" : ""
                return groups.joined(separator: "\n\n") + more
            }
        }

        private static func line(_ member: JSONValue) -> String {
            let fields = ["id", "phone", "name"].compactMap { member[$0]?.string }
            return fields.joined(separator: "  ") + "  \(member["points"]?.integer ?? 0) points"
        }
    }

    struct Merge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make two members one, who are one person.",
            discussion:
                "The first stays as known, gets the points of the other and what of the profile it lacks; the other "
                + "id becomes a reference, so that what names it means the first. It cannot be undone.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The id of the member who stays.")
        var kept: String

        @Argument(help: "The id of the other one.")
        var other: String

        func run() async throws {
            try await options.show(.mergeMembers(kept: kept, other: other)) { response in
                "\(other) is \(kept) now, with \(response["member"]?["points"]?.integer ?? 0) points"
            }
        }
    }

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

        @Option(
            help:
                "From when on, by the hub's clock: an RFC 3339 time, as far back as retention.memberChangesDays, 90 days by default."
        )
        var since: String

        @Flag(help: "Move its points back, and leave the profiles.")
        var points = false

        func run() async throws {
            let reversal = MemberReversal(
                terminalId: terminal, since: try MembersCommand.moment(since),
                part: points ? .points : .profiles)
            let periods = try options.configuration().retention
            guard reversal.isKept(by: periods) else {
                throw CommandFailure.usage(
                    "--since is at most \(periods[.memberChanges]) days ago; what members were before is kept "
                        + "as long (retention.memberChangesDays)")
            }
            try await options.show(.revertMembers(reversal)) { response in
                "taken back: \(response["reverted"]?.integer ?? 0) changes, "
                    + "\(response["withdrawn"]?.integer ?? 0) new members withdrawn; "
                    + "as they are: \(response["kept"]?.integer ?? 0), which others changed since"
            }
        }
    }

    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give members the points of one terminal's sales that wait (`points_held`).",
            discussion:
                "Look at the sales first: `pos-hub flags list` names them. What came back of a sale meanwhile is "
                + "left out. `members revert --points` takes released points back, too. The response lists each "
                + "sale with its total, what it said that it earned, and what its member got.")

        @OptionGroup var options: StoreOptions

        @Option(help: "The terminal's id.")
        var terminal: String

        @Option(help: "Sales that the hub got from then on, by its clock: an RFC 3339 time.")
        var since: String?

        @Option(help: "One sale alone, by its order's id as `pos-hub orders list` has it.")
        var order: String?

        func validate() throws {
            guard since != nil || order != nil else {
                throw ValidationError("release takes --since or --order: which sales")
            }
        }

        func run() async throws {
            let held = HeldPoints(
                terminalId: terminal, since: try since.map(MembersCommand.moment) ?? 0, orderId: order)
            try await options.show(.releaseHeldPoints(held)) { response in
                let sum =
                    "released: \(response["points"]?.integer ?? 0) points of "
                    + "\(response["sales"]?.integer ?? 0) sales"
                    + (response["lost"] == 0
                        ? "" : "; \(response["lost"]?.integer ?? 0) sales of members who are gone")
                return ((response["released"]?.array ?? []).map(Self.line) + [sum]).joined(separator: "\n")
            }
        }

        private static func line(_ sale: JSONValue) -> String {
            "\(sale["orderId"]?.string ?? "?")  "
                + AmountText.money(sale["total"]?.integer ?? 0, sale["currency"]?.string ?? "")
                + "  member \(sale["memberId"]?.string ?? "?")  says \(sale["earned"]?.integer ?? 0) points, "
                + "got \(sale["points"]?.integer ?? 0)"
        }
    }

    fileprivate static func moment(_ since: String) throws -> Int64 {
        guard let moment = Timestamp.milliseconds(of: since) else {
            throw CommandFailure.usage("--since is an RFC 3339 time such as 2026-11-26T08:00:00Z")
        }
        return moment
    }
}
