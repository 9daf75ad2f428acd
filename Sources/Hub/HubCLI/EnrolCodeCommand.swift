internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub enrol-code`: codes that let one terminal in each.
struct EnrolCodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol-code", abstract: "Manage enrolment codes; each enrols one terminal, once.",
        subcommands: [Make.self, List.self, Revoke.self], defaultSubcommand: Make.self)

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create codes. They are shown only once; the hub stores keyed digests.")

        @OptionGroup var options: StoreOptions

        @Option(name: .customLong("store-id"), help: "The store that the terminal belongs to.")
        var storeId: String

        @Option(help: "How long the code is valid: a number with s, m, h or d. Default: 15m.")
        var expires = "15m"

        @Option(help: "How many, 1 to 1000; with --json they are the list `codes`. Default: one alone.")
        var count: Int64?

        func run() async throws {
            guard let lifetime = Lifetime(expires) else {
                throw CommandFailure.usage("--expires is a number with s, m, h or d, for example 15m")
            }
            guard let count else {
                return try await options.show(
                    .mintCode(storeId: storeId, lifetime: lifetime.milliseconds), asText: Self.lines)
            }
            try await options.show(
                .mintCodes(storeId: storeId, lifetime: lifetime.milliseconds, count: count)
            ) { response in
                let codes = response["codes"]?.array ?? []
                return codes.compactMap { $0["code"]?.string }.joined(separator: "\n") + "\n"
                    + Self.end(of: codes.last ?? .null)
            }
        }

        private static func lines(_ code: JSONValue) -> String {
            "\(code["code"]?.string ?? "")\n\(end(of: code))"
        }

        private static func end(of code: JSONValue) -> String {
            "expires \(code["expiresAt"]?.string ?? "")"
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the codes of the last 31 days by id, without the codes themselves.")

        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await options.show(.listCodes) { response in
                (response["codes"]?.array ?? []).map(EnrolCodeCommand.summary).joined(separator: "\n")
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a code that was not used.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The code's id, as the list shows it.")
        var id: String

        func run() async throws {
            try await options.show(.revokeCode(id: id), asText: EnrolCodeCommand.summary)
        }
    }

    private static func summary(_ code: JSONValue) -> String {
        "\(code["id"]?.string ?? "")  \(code["storeId"]?.string ?? "")  \(code["state"]?.string ?? "")  "
            + "expires \(code["expiresAt"]?.string ?? "")"
    }
}

/// A length of time as an operator types it: `90s`, `15m`, `12h`, `7d`.
struct Lifetime {
    let milliseconds: Int64

    /// Nil for anything but a positive number with a unit.
    init?(_ text: String) {
        let factors: [Character: Int64] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last, let factor = factors[unit], let number = Int64(text.dropLast()),
            number > 0
        else { return nil }
        let (milliseconds, overflows) = number.multipliedReportingOverflow(by: factor)
        guard !overflows else { return nil }
        self.milliseconds = milliseconds
    }
}
