import HubProtocol

internal import ArgumentParser
internal import Foundation

/// What a machine remembers of each charge, and of what it gave back of it.
///
/// Each is on disk before its response: a kill in between repeats the response and moves nothing more.
struct SimulatedMachine {
    private let answers: String
    private let file: FileHandle
    private var charges: [String: JSONValue] = [:]
    /// The responses to refunds by charge and refund.
    private var refunds: [String: [String: JSONValue]] = [:]

    init(journal path: String, answers: String) throws {
        guard ["approve", "decline", "silent", "closed"].contains(answers) else {
            throw ValidationError("--answers is approve, decline, silent or closed")
        }
        self.answers = answers
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        // Behind what a kill left of a line, which was never responded to.
        if !text.isEmpty, !text.hasSuffix("\n") { try file.write(contentsOf: Data([0x0A])) }
        for line in text.split(separator: "\n") {
            guard let entry = try? JSONParser.parse(line.utf8), let key = entry["key"]?.string else {
                continue
            }
            remember(entry, of: key)
        }
    }

    private mutating func remember(_ entry: JSONValue, of key: String) {
        if let refund = entry["refund"]?.string {
            refunds[key, default: [:]][refund] = entry
        } else {
            charges[key] = entry
        }
    }

    /// Nil: no response.
    mutating func response(to request: JSONValue) -> JSONValue? {
        guard answers != "closed", let key = request["key"]?.string else { return nil }
        switch request["op"]?.string {
        case "charge":
            if charges[key] == nil { note(charged(key, request)) }
            return answers == "silent" ? nil : response(charges[key])
        case "state": return response(charges[key]) ?? ["key": .string(key), "state": "unknown"]
        case "void":
            if charges[key]?["state"] != "voided" { note(["key": .string(key), "state": "voided"]) }
            return charges[key]
        case "refund":
            guard let refund = request["refund"]?.string else { return nil }
            if refunds[key]?[refund] == nil { note(refunded(key, refund, request)) }
            return answers == "silent" ? nil : response(refunds[key]?[refund])
        case _: return nil
        }
    }

    /// What is noted, without the amount.
    private func response(_ entry: JSONValue?) -> JSONValue? {
        guard var members = entry?.object else { return nil }
        for name in ["amount", "currency"] { members[name] = nil }
        return .object(members)
    }

    private func charged(_ key: String, _ request: JSONValue) -> JSONValue {
        guard answers != "decline" else {
            return ["key": .string(key), "state": "declined", "reason": "insufficient funds"]
        }
        let number = String(charges.count + 1)
        return [
            "key": .string(key), "state": "charged", "reference": .string("M-" + number),
            "approvalCode": .string("MC" + number), "amount": request["amount"] ?? 0,
            "currency": request["currency"] ?? "",
        ]
    }

    private func refunded(_ key: String, _ refund: String, _ request: JSONValue) -> JSONValue {
        let reason = answers == "decline" ? "the bank declined the refund" : objection(key, request)
        var entry: JSONObject = [
            "key": .string(key), "refund": .string(refund), "state": reason == nil ? "refunded" : "refused",
            "amount": request["amount"] ?? 0, "currency": request["currency"] ?? "",
        ]
        entry["reason"] = reason.map(JSONValue.string)
        return .object(entry)
    }

    /// Why the request is refused; nil: so much is left of the charge.
    private func objection(_ key: String, _ request: JSONValue) -> String? {
        guard let charge = charges[key], charge["state"] == "charged" else {
            return charges[key]?["state"] == "voided" ? "the charge was voided" : "unknown charge"
        }
        guard charge["currency"] == request["currency"] else { return "the charge has another currency" }
        let charged = charge["amount"]?.integer ?? 0
        let before = (refunds[key] ?? [:]).values.reduce(Int64(0)) { sum, entry in
            sum + (entry["state"] == "refunded" ? entry["amount"]?.integer ?? 0 : 0)
        }
        guard let amount = request["amount"]?.integer, amount > 0, amount <= charged - before else {
            return "more than is left of the charge"
        }
        return nil
    }

    private mutating func note(_ entry: JSONValue) {
        guard let key = entry["key"]?.string else { return }
        remember(entry, of: key)
        try? file.write(contentsOf: Data(entry.canonicalBytes + [0x0A]))
        try? file.synchronize()
    }
}
