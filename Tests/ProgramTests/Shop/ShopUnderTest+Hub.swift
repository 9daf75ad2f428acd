import Foundation
import HubProtocol
import TestKit
import Testing

extension ShopUnderTest {
    /// Starts the hub, at its old port when it had one, and waits until it listens.
    ///
    /// - Parameter more: laid over its environment.
    func startHub(with more: ShopSettings = [:]) throws {
        let arguments =
            ["serve", "--listen", "\(listenHost ?? hubHost):\(hubPort)"] + storeArguments + serveArguments
        let program = try ProgramUnderTest(
            "pos-hub", arguments, environment: more, behind: hubWrapper)
        let address = try program.line(startingWith: "listening on ")
        hubPort = address.split(separator: ":").last.flatMap { UInt16($0.prefix { $0.isNumber }) } ?? 0
        hub = program
    }

    /// Kills the hub as a power cut would; one that ended by itself before is a defect.
    func killHub() {
        if let code = hub?.exitCode(within: 0) {
            let words = hub?.errors.lines.suffix(20).joined(separator: "\n") ?? ""
            Issue.record("the hub had ended with \(code):\n\(words)")
        }
        hub?.kill()
        hub = nil
    }

    /// A command of the hub on its store; throws unless it ends with 0.
    @discardableResult
    func posHub(_ arguments: String...) throws -> JSONValue {
        let command = arguments + ["--json"] + storeArguments
        let end = try ProgramUnderTest.run("pos-hub", command)
        guard end.exitCode == 0 else { throw ShopError.commandFailed(["pos-hub"] + command, end) }
        return try end.document()
    }

    func importCatalogue(_ articles: [Article], in currency: String = Article.currency) throws {
        let file = folder.path("catalogue.csv")
        try Article.csv(articles, in: currency).write(toFile: file, atomically: true, encoding: .utf8)
        try posHub("import", "products", file)
    }

    func enrolmentCode() throws -> String {
        try posHub("enrol-code", "--store-id", "S1")["code"]?.string ?? ""
    }

    /// What the hub has of this shop's till.
    func audit() throws -> HubAudit {
        HubAudit(try terminalAudits().first ?? .null)
    }

    /// What `pos-hub audit` reports of every terminal; also of troubled ones, for which it ends with 4.
    func terminalAudits() throws -> [JSONValue] {
        let command = ["audit", "--json"] + storeArguments
        let end = try ProgramUnderTest.run("pos-hub", command)
        guard [0, 4].contains(end.exitCode) else { throw ShopError.commandFailed(command, end) }
        return try end.document()["terminals"]?.array ?? []
    }
}

/// One terminal in `pos-hub audit --json`.
struct HubAudit {
    let json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
    }

    var orders: Int64? { json["orders"]?.integer }
    var received: Int64? { json["received"]?.integer }
    var rejected: Int64? { json["rejected"]?.integer }
    var acknowledgedThrough: Int64? { json["acknowledgedThrough"]?.integer }
    var missing: [Int64]? { json["missing"]?.array?.compactMap(\.integer) }
    var chain: String? { json["chain"]?.string }
    var total: Int64? { json["total"]?["amount"]?.integer }

    /// Whether the hub has everything that was sent, once and unbroken.
    var isComplete: Bool { missing == [] && chain == "intact" && rejected == 0 }
}
