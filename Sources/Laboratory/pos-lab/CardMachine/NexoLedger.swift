import HubProtocol

internal import Foundation

/// What a machine did, by the id of the request, in a file of one JSON object a line. It is done when it is
/// written.
struct NexoLedger {
    struct Entry {
        enum Kind: String {
            case sale, reversal
        }

        let kind: Kind
        let service: String
        let sale: String
        let key: String
        let amount: Double
        let currency: String
        let transaction: String
        /// The transaction whose money goes back.
        let original: String?
        /// The response, which a status repeats.
        let response: JSONValue
    }

    private let file: FileHandle
    private(set) var entries: [Entry] = []

    /// - Parameter forgets: whether what the file has is not read.
    init(path: String, forgets: Bool) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        guard !forgets else { return }
        for line in text.split(separator: "\n") {
            guard let entry = try? JSONParser.parse(line.utf8) else { continue }
            if entry["kind"] == "reconciliation" { entries = [] }
            if let entry = Entry(entry) { entries.append(entry) }
        }
    }

    mutating func note(_ entry: Entry) {
        entries.append(entry)
        write(entry.json)
    }

    func entry(_ service: String, _ sale: String) -> Entry? {
        entries.last { $0.service == service && $0.sale == sale }
    }

    /// The payment that was made last, by whatever till.
    var newest: Entry? { entries.last { $0.original == nil } }

    func sale(_ transaction: String) -> Entry? {
        entries.last { $0.kind == .sale && $0.transaction == transaction }
    }

    /// What of a sale did not go back yet.
    func left(of sale: Entry) -> Double {
        sale.amount - sum(.reversal) { $0.original == sale.transaction }
    }

    func sum(_ kind: Entry.Kind, where isCounted: (Entry) -> Bool = { _ in true }) -> Double {
        let sum = entries.filter { $0.kind == kind && isCounted($0) }.reduce(0) { $0 + $1.amount }
        return (sum * 1000).rounded() / 1000
    }

    mutating func close() {
        write(["kind": "reconciliation", "amount": .double(sum(.sale) - sum(.reversal))])
        entries = []
    }

    private func write(_ entry: JSONValue) {
        try? file.write(contentsOf: Data(entry.canonicalBytes + [0x0A]))
        try? file.synchronize()
    }
}

extension NexoLedger.Entry {
    fileprivate var json: JSONValue {
        var entry: JSONObject = [
            "kind": .string(kind.rawValue), "service": .string(service), "sale": .string(sale),
            "key": .string(key), "amount": .double(amount), "currency": .string(currency),
            "transaction": .string(transaction), "response": response,
        ]
        entry["original"] = original.map(JSONValue.string)
        return .object(entry)
    }

    fileprivate init?(_ entry: JSONValue) {
        guard let kind = entry["kind"]?.string.flatMap(Kind.init(rawValue:)),
            let service = entry["service"]?.string, let sale = entry["sale"]?.string,
            let key = entry["key"]?.string, let amount = NexoTerminal.number(entry["amount"]),
            let currency = entry["currency"]?.string, let transaction = entry["transaction"]?.string,
            let response = entry["response"]
        else { return nil }
        self.init(
            kind: kind, service: service, sale: sale, key: key, amount: amount, currency: currency,
            transaction: transaction, original: entry["original"]?.string, response: response)
    }
}
