import Base

internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub qos`: the hub's decision on each service, and an operator's override of it.
struct QoSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qos", abstract: "Show and override the decisions on the services.",
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
            abstract: "Override the decision on a service, until the override is cleared or ends.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The service, for example order.")
        var service: String

        @Argument(help: "healthy, faulty or recovering.")
        var state: String

        @Option(help: "The reason; stored with the decision.")
        var reason: String

        @Option(help: "When the override ends: RFC 3339, for example 2026-11-21T18:00:00Z. Default: never.")
        var until: String?

        @Option(help: "One store's id. Default: the chain.")
        var storeId: String?

        func run() async throws {
            let end = until.flatMap(Timestamp.milliseconds(of:))
            guard until == nil || end != nil else {
                throw CommandFailure.usage("--until is an RFC 3339 time, for example 2026-11-21T18:00:00Z")
            }
            try await QoSCommand.perform(
                .overrideService(service, state: state, reason: reason, until: end, storeId: storeId), options
            )
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Clear an operator's override.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The service.")
        var service: String

        @Option(help: "One store's id. Default: the chain.")
        var storeId: String?

        func run() async throws {
            try await QoSCommand.perform(.clearOverride(service, storeId: storeId), options)
        }
    }

    private static func perform(_ call: AdminCall, _ options: StoreOptions) async throws {
        let response = try await HubAccess(configuration: options.configuration()).performOnQoS(call)
        try options.show(response) { response in
            (response["services"]?.array ?? []).map(summary).joined(separator: "\n")
        }
    }

    private static func summary(_ service: JSONValue) -> String {
        let reason = service["reason"]?.string.map { "  \($0.printable)" } ?? ""
        let line =
            "\(service["service"]?.string ?? "")  \(service["state"]?.string ?? "")  "
            + "\(service["source"]?.string ?? "")  generation \(service["generation"]?.integer ?? 0)\(reason)"
        let overrides = (service["storeOverrides"]?.array ?? []).map { override in
            "    store \(override["storeId"]?.string ?? ""): \(override["state"]?.string ?? "")  operator  "
                + "\(override["reason"]?.string ?? "")"
        }
        let waiting = (service["proposal"]?.object).map { proposal in
            "    waits for a second operator: \(proposal["state"]?.string ?? "") by "
                + "\(proposal["by"]?.string ?? ""): \(proposal["reason"]?.string ?? "")"
        }
        let lines = [line] + [waiting].compactMap(\.self) + overrides
        return (lines + (service["scopes"]?.array ?? []).flatMap(scopeLines)).joined(separator: "\n")
    }

    /// A scope that is not healthy, and which terminals failed.
    private static func scopeLines(_ scope: JSONValue) -> [String] {
        let subject = scope["subject"]?.string ?? ""
        let name = "\(scope["scope"]?.string ?? "")\(subject.isEmpty ? "" : " \(subject)")"
        let line =
            "    \(name): \(scope["state"]?.string ?? "") since \(scope["since"]?.string ?? "-")  "
            + "\(scope["reason"]?.string ?? "")"
        let evidence = scope["evidence"]
        let terminals = evidence?["terminals"]?.array ?? []
        let failing = terminals.map { terminal in
            let (ok, failed) = (terminal["ok"]?.integer ?? 0, terminal["failed"]?.integer ?? 0)
            return "        store \(terminal["storeId"]?.string ?? "-")  "
                + "terminal \(terminal["terminalId"]?.string ?? "-")  \(failed) of \(ok + failed) failed"
        }
        let more = (evidence?["failing"]?.integer ?? 0) - Int64(terminals.count)
        return [line] + failing + (more > 0 ? ["        and \(more) more"] : [])
    }
}
