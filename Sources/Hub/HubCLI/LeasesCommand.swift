internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub leases`: what terminals were lent to spend without the hub.
struct LeasesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leases", abstract: "Look at what terminals may spend without the hub.",
        subcommands: [List.self, Release.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the open leases, the next to expire first, with what they reserve.")

        @OptionGroup var options: StoreOptions

        @Flag(help: "Also those that ended or were released.")
        var all = false

        func run() async throws {
            try await options.showList(.listLeases(all: all), "leases", line: LeasesCommand.line)
        }
    }

    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give up a lease of a terminal that does not return.",
            discussion:
                "What is left of it becomes free for others. Sales of the terminal that spent it and arrive "
                + "later are accepted and flagged: at most the amount that is printed is spent twice.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The lease's id.")
        var id: String

        @Option(help: "Why; it is kept.")
        var reason: String

        func run() async throws {
            try await options.show(
                .backOffice(.releaseLease(id: id, reason: reason)), asText: LeasesCommand.line)
        }
    }

    private static func line(_ json: JSONValue) -> String {
        let lease = ListRow<LeaseMember>(json)
        let risk = lease[.risk]?.integer.map { "\n    at most \($0) can be spent twice" } ?? ""
        let silence =
            lease[.silentSince]?.string.map { " if it is released; nothing came since \($0)" } ?? ""
        let reason = lease[.reason]?.string.map { "; reason: " + $0 } ?? ""
        return "\(lease.text(.leaseId))  \(lease.text(.kind))  \(lease.text(.subject))  "
            + "terminal \(lease.text(.terminalId))  left \(lease.number(.left)) of \(lease.number(.amount))  "
            + "\(lease.text(.state))  expires \(lease.text(.expiresAt))\(risk)\(silence)\(reason)"
    }
}
