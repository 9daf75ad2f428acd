internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub qos`: what the hub says of each service, and an operator's word that outranks it.
struct QoSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qos", abstract: "See and set what is said of the services.",
        subcommands: [Status.self, Set.self, Clear.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show every service.")

        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await QoSCommand.perform(.qosStatus, options)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give an operator's word on a service; it holds until it is cleared or ends.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The service, for example order.")
        var service: String

        @Argument(help: "healthy, faulty or recovering.")
        var state: String

        @Option(help: "Why; kept with the decision.")
        var reason: String

        @Option(help: "When the word ends: RFC 3339, for example 2026-11-21T18:00:00Z. Default: never.")
        var until: String?

        func run() async throws {
            let end = until.flatMap(Timestamp.milliseconds(of:))
            guard until == nil || end != nil else {
                throw CommandFailure.usage("--until is an RFC 3339 time, for example 2026-11-21T18:00:00Z")
            }
            try await QoSCommand.perform(
                .overrideService(service, state: state, reason: reason, until: end), options)
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Take an operator's word back.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The service.")
        var service: String

        func run() async throws {
            try await QoSCommand.perform(.clearOverride(service), options)
        }
    }

    private static func perform(_ call: AdminCall, _ options: StoreOptions) async throws {
        let answer = try await HubAccess(configuration: options.configuration()).performOnQoS(call)
        try options.show(answer) { answer in
            (answer["services"]?.array ?? []).map(words).joined(separator: "\n")
        }
    }

    private static func words(_ service: JSONValue) -> String {
        let reason = service["reason"]?.string.map { "  \($0.printable)" } ?? ""
        return "\(service["service"]?.string ?? "")  \(service["state"]?.string ?? "")  "
            + "\(service["source"]?.string ?? "")  generation \(service["generation"]?.integer ?? 0)\(reason)"
    }
}
