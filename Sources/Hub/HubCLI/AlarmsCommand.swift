internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub alarms`: what a person should look at.
struct AlarmsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alarms", abstract: "Look at alarms and acknowledge them.",
        subcommands: [List.self, Acknowledge.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the open alarms, those that were raised last first.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var page: PageOptions

        @Flag(help: "Also those that somebody acknowledged.")
        var all = false

        func run() async throws {
            try await options.showList(
                .listAlarms(try page.page(), all: all), "alarms", line: AlarmsCommand.line)
        }
    }

    struct Acknowledge: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Note that somebody looked at an alarm; raised again after that, it is open again.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The alarm's id.")
        var id: String

        @Option(help: "What was found or done; it is kept.")
        var note: String

        func run() async throws {
            try await options.show(
                .backOffice(.acknowledgeAlarm(id: id, note: note)), asText: AlarmsCommand.line)
        }
    }

    private static func line(_ json: JSONValue) -> String {
        let alarm = ListRow<AlarmMember>(json)
        let detail = [alarm[.detail]?.string, alarm[.note]?.string.map { "note: \($0)" }]
        return "\(alarm.text(.id))  \(alarm.text(.kind))  \(alarm.text(.storeId, or: "-"))  "
            + "terminal \(alarm.text(.terminalId))  \(alarm.number(.count)) times, "
            + "last \(alarm.text(.lastAt))  \(alarm.text(.state))  mutation \(alarm.text(.mutationId, or: "-"))"
            + detail.compactMap { $0.map { "\n    \($0)" } }.joined()
    }
}

/// `pos-hub flags`: what is odd about mutations that were accepted.
struct FlagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flags", abstract: "Look at the flags of accepted mutations.", subcommands: [List.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List flags, the newest mutations first.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var page: PageOptions

        @Option(help: "One kind, total_differs for example. Default: all.")
        var flag: String?

        func run() async throws {
            try await options.showList(.listFlags(try page.page(), flag: flag), "flags") { flag in
                "\(flag["flag"]?.string ?? "")  \(flag["type"]?.string ?? "")  "
                    + "\(flag["orderNumber"]?.string ?? "-")  \(flag["storeId"]?.string ?? "-")  "
                    + "mutation \(flag["mutationId"]?.string ?? "")  \(flag["receivedAt"]?.string ?? "")"
            }
        }
    }
}

/// `pos-hub refused`: what the hub did not accept.
struct RefusedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refused", abstract: "Look at mutations that the hub refused, and decide about them.",
        subcommands: [List.self, Show.self, Resolve.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what was refused and is not resolved, the newest first.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var page: PageOptions

        @Flag(help: "Also what is resolved.")
        var all = false

        func run() async throws {
            try await options.showList(
                .listRefusals(try page.page(), all: all), "refused", line: RefusedCommand.line)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one refused mutation with its payload and what the hub has instead.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The mutation's id.")
        var id: String

        func run() async throws {
            try await options.show(.backOffice(.showRefusal(id))) { response in
                let refusal = ListRow<RefusalMember>(response)
                return RefusedCommand.line(response) + "\n  payload  "
                    + (refusal[.payload] ?? .null).canonicalText + "\n  hub has  "
                    + (refusal[.serverState] ?? .null).canonicalText
            }
        }
    }

    struct Resolve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Decide about a refused mutation.",
            discussion:
                "server: the hub's state stays and the mutation is given up. terminal: the terminal is "
                + "right and has to send it again (`pos sync resolve` or `edit` there); until then it stays listed, "
                + "since only the terminal writes its journal.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The mutation's id.")
        var id: String

        @Option(help: "terminal or server.")
        var keep: String

        @Option(help: "Why; it is kept.")
        var reason: String

        func run() async throws {
            guard ["terminal", "server"].contains(keep) else {
                throw CommandFailure.usage("--keep is terminal or server, not \"\(keep)\"")
            }
            let call = BackOfficeCall.resolveRefusal(id: id, keep: keep, reason: reason)
            try await options.show(.backOffice(call), asText: RefusedCommand.line)
        }
    }

    private static func line(_ json: JSONValue) -> String {
        let refusal = ListRow<RefusalMember>(json)
        let kept = refusal[.resolution]?["keep"]?.string.map { "  keep \($0)" } ?? ""
        return "\(refusal.text(.id))  \(refusal.text(.type))  \(refusal.text(.orderNumber, or: "-"))  "
            + "\(refusal.text(.storeId, or: "-"))  \(refusal.text(.outcome))  \(refusal.text(.state))\(kept)\n    "
            + (refusal[.problem]?["detail"]?.string ?? "")
    }
}
