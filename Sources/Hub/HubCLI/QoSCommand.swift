import Base

internal import ArgumentParser
internal import HubProtocol
internal import HubServer
internal import HubStore

/// `pos-hub qos`: the hub's decision on each service, and an operator's override of it.
struct QoSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qos", abstract: "Show and override the decisions on the services.",
        subcommands: [Status.self, History.self, Set.self, Clear.self])

    /// How much of the decisions is shown.
    enum Scope: String, ExpressibleByArgument, CaseIterable {
        case global
        case all
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show every service, and the stores and terminals in which it is not healthy.")

        @OptionGroup var options: StoreOptions

        @Option(
            help:
                "global: the decisions for the whole chain only; all: also what each terminal follows, and whether that is the hub's decision."
        )
        var scope: Scope?

        func run() async throws {
            let access = HubAccess(configuration: try options.configuration())
            var response = try await access.performOnQoS(.qosStatus)
            if scope == .all {
                let terminals = try await access.performOnQoS(.qosTerminals)
                response = .object((response.object ?? [:]).merging(terminals.object ?? [:]) { $1 })
            }
            try options.show(response) { response in
                let services = (response["services"]?.array ?? []).map {
                    scope == .global ? QoSText.line($0) : QoSText.service($0)
                }
                let terminals = response["terminals"]?.array.map(QoSText.terminals) ?? []
                return (services + terminals).joined(separator: "\n")
            }
        }
    }

    struct History: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show past decisions with their evidence: which terminals and stores failed.")

        @OptionGroup var options: StoreOptions

        @Option(help: "Of one service only.")
        var service: String?

        @Option(help: "How many changes, the newest first: 1 to 1000.")
        var limit: Int64 = 20

        func run() async throws {
            let response = try await HubAccess(configuration: try options.configuration()).performOnQoS(
                .qosHistory(service: service, limit: limit))
            try options.show(response) { response in
                let changes = (response["history"]?.array ?? []).flatMap(QoSText.change)
                return changes.isEmpty ? "no decision has changed yet" : changes.joined(separator: "\n")
            }
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
            if let storeId { await options.warn(ofStore: storeId) }
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
        if response["cleared"] == false { Output.warning("there was no such override; nothing was changed") }
        try options.show(response) { response in
            (response["services"]?.array ?? []).map(QoSText.service).joined(separator: "\n")
        }
    }
}

/// Decisions as text for operators.
private enum QoSText {
    /// The decision for the whole chain.
    static func line(_ service: JSONValue) -> String {
        let reason = service["reason"]?.string.map { "  \($0.printable)" } ?? ""
        return "\(service["service"]?.string ?? "")  \(service["state"]?.string ?? "")  "
            + "\(service["source"]?.string ?? "")  generation \(service["generation"]?.integer ?? 0)\(reason)"
    }

    static func service(_ service: JSONValue) -> String {
        let overrides = (service["storeOverrides"]?.array ?? []).map { override in
            "    store \(override["storeId"]?.string ?? ""): \(override["state"]?.string ?? "")  operator  "
                + "\(override["reason"]?.string ?? "")"
        }
        let waiting = service["proposal"].map(QoSProposal.init(shown:)).map {
            "    waits for a second operator: \($0.state) by \($0.by): \($0.reason)"
        }
        let lines = [line(service)] + [waiting].compactMap(\.self) + overrides
        return (lines + (service["scopes"]?.array ?? []).flatMap(scopeLines)).joined(separator: "\n")
    }

    /// A change of the history, and why.
    static func change(_ change: JSONValue) -> [String] {
        let line =
            "\(change["at"]?.string ?? "-")  \(change["service"]?.string ?? "")  \(subject(change)): "
            + "\(change["state"]?.string ?? "") by \(change["source"]?.string ?? "")  "
            + "\((change["reason"]?.string ?? "").printable)"
        return [line] + evidenceLines(change["evidence"])
    }

    /// A scope that is not healthy, and which terminals failed.
    private static func scopeLines(_ scope: JSONValue) -> [String] {
        let line =
            "    \(subject(scope)): \(scope["state"]?.string ?? "") since \(scope["since"]?.string ?? "-")  "
            + "\(scope["reason"]?.string ?? "")"
        return [line] + evidenceLines(scope["evidence"])
    }

    private static func subject(_ scope: JSONValue) -> String {
        let subject = scope["subject"]?.string ?? ""
        return "\(scope["scope"]?.string ?? "")\(subject.isEmpty ? "" : " \(subject)")"
    }

    private static func evidenceLines(_ evidence: JSONValue?) -> [String] {
        let terminals = evidence?["terminals"]?.array ?? []
        let failing = terminals.map { terminal in
            let (ok, failed) = (terminal["ok"]?.integer ?? 0, terminal["failed"]?.integer ?? 0)
            return "        store \(terminal["storeId"]?.string ?? "-")  "
                + "terminal \(terminal["terminalId"]?.string ?? "-")  \(failed) of \(ok + failed) failed"
        }
        let more = (evidence?["failing"]?.integer ?? 0) - Int64(terminals.count)
        return failing + (more > 0 ? ["        and \(more) more"] : [])
    }

    /// How many terminals follow the hub, and which do not.
    static func terminals(_ terminals: [JSONValue]) -> [String] {
        func having(_ value: JSONValue?) -> [JSONValue] { terminals.filter { $0["agrees"] == value } }
        let (open, other) = (having(nil), having(false))
        let counts =
            "terminals that polled since the hub's start: \(having(true).count) follow its decisions, "
            + "\(open.count) got them and have not confirmed them yet, \(other.count) follow older ones"
        let lines = other.prefix(shown).map { terminal in
            let old = (terminal["services"]?.array ?? []).filter { $0["follows"] != $0["generation"] }.map {
                "\($0["service"]?.string ?? "") \($0["follows"]?.integer.map(String.init) ?? "none") "
                    + "instead of \($0["generation"]?.integer ?? 0)"
            }
            return "    store \(terminal["storeId"]?.string ?? "")  terminal "
                + "\(terminal["terminalId"]?.string ?? "")  last seen \(terminal["seenAt"]?.string ?? "-")  "
                + old.joined(separator: ", ")
        }
        return [counts] + lines + (other.count > shown ? ["    and \(other.count - shown) more"] : [])
    }

    /// A screen; `--json` has them all.
    private static let shown = 20
}
