internal import ArgumentParser
internal import HubProtocol
internal import HubServer
internal import Pricing

/// `pos-hub receipt`: whether a customer's paper is about something that the hub has.
struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt", abstract: "Find the journal entry behind a receipt's number and short code.")

    @OptionGroup var options: StoreOptions

    @Argument(help: "The order number on the paper.")
    var number: String

    @Option(help: "The ten characters behind `Code` on the paper. Default: all entries with the number.")
    var code: String?

    func run() async throws {
        let response = try await options.perform(.findReceipt(number: number))
        let wanted = code?.uppercased()
        let found = (response["receipts"]?.array ?? []).filter { entry in
            wanted.map { entry["shortCode"]?.string == $0 } ?? true
        }
        try options.show(["receipts": .array(found)]) { response in
            (response["receipts"]?.array ?? []).map(Self.summary).joined(separator: "\n")
        }
        guard found.isEmpty else { return }
        throw CommandFailure.refused(
            "this hub has no sale \(number)" + (wanted.map { " with the code \($0)" } ?? ""))
    }

    private static func summary(_ entry: JSONValue) -> String {
        "\(entry["orderNumber"]?.string ?? "")  code \(entry["shortCode"]?.string ?? "")  "
            + AmountText.money(
                entry["total"]?["amount"]?.integer ?? 0, entry["total"]?["currency"]?.string ?? "") + "  "
            + "received \(entry["receivedAt"]?.string ?? "")  terminal \(entry["terminalId"]?.string ?? "")"
    }
}
