internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub operator`: who may do operators' calls.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator", abstract: "Manage operators.",
        subcommands: [Add.self, List.self, Remove.self, Log.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an operator, or give an existing one a new role, token and login code.",
            discussion: "Token and login code are shown only once. With the code a person sets a password at "
                + "/login within 24 hours; with the token a program calls. A known operator loses the old "
                + "password.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The operator's name.")
        var name: String

        @Option(help: "viewer, operator, manager or integrator (a program of the back office).")
        var role = "operator"

        @Option(help: "How long the token is valid, for example 12h or 90d; at most 366d.")
        var expires = "90d"

        func run() async throws {
            guard let lifetime = Lifetime(expires) else {
                throw CommandFailure.usage("--expires is a number with s, m, h or d, not \"\(expires)\"")
            }
            try await options.show(.addOperator(name: name, role: role, lifetime: lifetime.milliseconds)) {
                response in
                """
                token:      \(response["token"]?.string ?? "")
                            until \(response["tokenExpiresAt"]?.string ?? "")
                login code: \(response["loginCode"]?.string ?? "")  (sets a password at /login, once)
                            until \(response["loginCodeExpiresAt"]?.string ?? "")
                """
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the operators.")

        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await options.show(.listOperators) { response in
                let rows = response["operators"]?.array ?? []
                if rows.isEmpty { return "no operators; `pos-hub operator add NAME` adds one" }
                return rows.map { row in
                    let end = row["tokenExpiresAt"]?.string.map { "token until \($0)" } ?? "token without end"
                    let password = row["hasPassword"]?.bool == true ? "password set" : "no password"
                    return "\(row["name"]?.string ?? "")  \(row["role"]?.string ?? "")  \(end)  \(password)"
                }.joined(separator: "\n")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an operator: token, password and sessions end within seconds.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The operator's name.")
        var name: String

        func run() async throws {
            try await options.show(.removeOperator(name: name)) { "removed: \($0["name"]?.string ?? "")" }
        }
    }

    struct Log: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what operators did, and verify that nothing in between was changed.",
            discussion:
                "Each entry has the hash of the one before it. `head` is the last hash: compare it with "
                + "a copy of your own to see that nothing was cut off at the end.")

        @OptionGroup var options: StoreOptions

        @Option(help: "How many of the newest entries, 1 to 10000.")
        var limit: Int64 = 100

        func run() async throws {
            guard (1...10_000).contains(limit) else {
                throw CommandFailure.usage("--limit is a number from 1 to 10000")
            }
            let response = try await options.perform(.operatorLog(limit: limit))
            try options.show(response) { response in
                let rows = (response["entries"]?.array ?? []).map { entry in
                    ["at", "operator", "outcome", "action", "subject", "detail"]
                        .map { entry[$0]?.string ?? "" }.joined(separator: "  ")
                }
                return
                    (rows + [
                        "\(response["count"]?.integer ?? 0) entries, chain \(response["chain"]?.string ?? "")"
                    ]).joined(separator: "\n")
            }
            if let entry = response["brokenAt"]?.integer {
                throw CommandFailure.refused("the operators' log was changed at entry \(entry)")
            }
        }
    }
}
