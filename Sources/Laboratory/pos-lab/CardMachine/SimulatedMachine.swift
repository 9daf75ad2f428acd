import HubProtocol

internal import ArgumentParser
internal import Foundation

/// What a machine remembers of each charge.
struct SimulatedMachine {
    private let answers: String
    private let file: FileHandle
    private var charges: [String: JSONValue] = [:]

    init(journal path: String, answers: String) throws {
        guard ["approve", "decline", "silent"].contains(answers) else {
            throw ValidationError("--answers is approve, decline or silent")
        }
        self.answers = answers
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for line in text.split(separator: "\n") {
            guard let entry = try? JSONParser.parse(line.utf8), let key = entry["key"]?.string else {
                continue
            }
            charges[key] = entry
        }
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
    }

    /// Nil: no response.
    mutating func response(to request: JSONValue) -> JSONValue? {
        guard let key = request["key"]?.string else { return nil }
        switch request["op"]?.string {
        case "charge":
            if charges[key] == nil { note(charged(key)) }
            return answers == "silent" ? nil : charges[key]
        case "state": return charges[key] ?? ["key": .string(key), "state": "unknown"]
        case "void":
            if charges[key]?["state"] != "voided" { note(["key": .string(key), "state": "voided"]) }
            return charges[key]
        case _: return nil
        }
    }

    private func charged(_ key: String) -> JSONValue {
        guard answers != "decline" else {
            return ["key": .string(key), "state": "declined", "reason": "insufficient funds"]
        }
        let number = String(charges.count + 1)
        return [
            "key": .string(key), "state": "charged", "reference": .string("M-" + number),
            "approvalCode": .string("MC" + number),
        ]
    }

    private mutating func note(_ entry: JSONValue) {
        guard let key = entry["key"]?.string else { return }
        charges[key] = entry
        try? file.write(contentsOf: Data(entry.canonicalBytes + [0x0A]))
        try? file.synchronize()
    }
}
