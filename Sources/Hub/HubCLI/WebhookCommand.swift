internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub webhook`: back offices that the journal feed is sent to.
struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Send the journal feed to back offices as it arrives.",
        subcommands: [Add.self, List.self, Test.self, Rotate.self, Skip.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a receiver: https, or http on this machine.",
            discussion:
                "The secret is shown only once; by it the receiver checks the header Pos-Webhook-Signature.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The address that the documents are posted to.")
        var url: String

        @Option(help: "Some types alone, with commas between, for example order,refund. Default: all.")
        var types: String?

        @Option(help: "start, or the cursor behind which it begins. Default: what arrives from now on.")
        var from: String?

        func run() async throws {
            try await options.show(.webhook(.add(url: url, types: types, from: from))) { response in
                """
                webhook: \(response["webhookId"]?.string ?? "")
                secret:  \(response["secret"]?.string ?? "")
                `pos-hub webhook test \(response["webhookId"]?.string ?? "")` sends a delivery without documents.
                """
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the receivers: how far they are, and what is wrong.")

        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await options.show(.webhook(.list)) { response in
                let rows = response["webhooks"]?.array ?? []
                if rows.isEmpty { return "no webhooks; `pos-hub webhook add URL` adds one" }
                return rows.map(Self.text).joined(separator: "\n")
            }
        }

        private static func text(_ json: JSONValue) -> String {
            let row = ListRow<WebhookMember>(json)
            let place = "\(row.text(.webhookId))  \(row.text(.url))\n  delivered through \(row.text(.cursor))"
            guard let problem = row[.problem]?.string else { return place }
            return """
                \(place)
                  failing since \(row.text(.failingSince)), \(row.number(.failures)) times: \(problem)
                  next try \(row.text(.nextTry))
                """
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a signed delivery without documents, and show what came of it.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The webhook's id.")
        var id: String

        func run() async throws {
            let response = try await options.perform(.webhook(.test(id: id)))
            try options.show(response) { $0["accepted"] == true ? "accepted" : "not accepted" }
            if let problem = response["problem"]?.string {
                throw CommandFailure.refused("the receiver did not accept it: \(problem)")
            }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a receiver a new secret, which the next delivery is signed by.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The webhook's id.")
        var id: String

        func run() async throws {
            try await options.show(.webhook(.rotate(id: id))) { "secret: \($0["secret"]?.string ?? "")" }
        }
    }

    struct Skip: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give up documents that a receiver does not accept, so that those behind them go on.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The webhook's id.")
        var id: String

        @Option(help: "The cursor of the last document that is given up.")
        var through: String

        @Option(help: "Why, for the operators' log.")
        var reason: String

        func run() async throws {
            try await options.show(.webhook(.skip(id: id, through: through, reason: reason))) { response in
                "goes on behind \(response["cursor"]?.string ?? "")"
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a receiver; nothing more is sent.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The webhook's id.")
        var id: String

        func run() async throws {
            try await options.show(.webhook(.remove(id: id))) { "removed: \($0["webhookId"]?.string ?? "")" }
        }
    }
}
