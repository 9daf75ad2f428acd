import Foundation
import HubProtocol
import TestKit

/// A till whose agent runs beside others of its shop, at a port of its own on loopback.
final class SeeingTill {
    let shop: ShopUnderTest
    let home: String
    private let settings: ShopSettings
    private var agent: ProgramUnderTest?

    /// Enrols the till in `store` and starts its agent.
    ///
    /// - Parameters:
    ///   - others: whom it greets, `ADDRESS:PORT` each.
    ///   - hub: its own way to the hub; the shop's without it.
    init(
        _ shop: ShopUnderTest, _ name: String, of store: String = "S1", greeting others: [String] = [],
        listening: String = "127.0.0.1:0", hub: String? = nil
    )
        throws
    {
        self.shop = shop
        home = shop.folder.path(name)
        settings = shop.settings.with([
            "POS_NEIGHBOURS_LISTEN": listening, "POS_NEIGHBOURS_ADDRESSES": others.joined(separator: ","),
        ])
        let code = try shop.posHub("enrol-code", "--store-id", store)["code"]?.string ?? ""
        _ = try document("init", "--hub", hub ?? shop.hubURL, "--enrol", code, "--name", name)
        try start()
    }

    /// Places on loopback for tills that greet each other: `ADDRESS:PORT` each, free just now.
    static func freePlaces(_ count: Int) throws -> [String] {
        let listeners = try (0..<count).map { _ in try SilentListener() }
        defer { listeners.forEach { $0.stop() } }
        return listeners.map { "127.0.0.1:\($0.port)" }
    }

    deinit { agent?.kill() }

    func start() throws {
        let program = try ProgramUnderTest(
            "pos", ["agent", "--home", home], environment: settings, behind: shop.tillWrapper)
        try program.line { $0 == "ready" }
        agent = program
    }

    /// Kills the agent as a power cut would.
    func kill() {
        agent?.kill()
        agent = nil
    }

    func run(_ arguments: String...) throws -> FinishedProgram {
        try ProgramUnderTest.run(
            "pos", arguments + ["--home", home], environment: settings, behind: shop.tillWrapper)
    }

    func document(_ arguments: String...) throws -> JSONValue {
        let end = try ProgramUnderTest.run(
            "pos", arguments + ["--json", "--home", home], environment: settings, behind: shop.tillWrapper)
        guard [0, 1, 4].contains(end.exitCode) else { throw ShopError.commandFailed(arguments, end) }
        return try end.document()
    }

    /// What it shows of the others, once `condition` holds.
    @discardableResult
    func sees(
        _ what: String, within seconds: Double = 20, _ condition: (JSONValue) throws -> Bool
    ) throws -> JSONValue {
        let client = LoopbackClient(.unix(path: home + "/agent.sock"))
        let end = Date().addingTimeInterval(seconds)
        while true {
            let picture = try JSONParser.parse(client.request("GET", "/v1/neighbours").body)
            if try condition(picture) { return picture }
            guard Date() < end else { throw ShopError.notReached(what, last: picture.canonicalText) }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Where it listens, once the store's setting has come.
    func address() throws -> String {
        _ = try document("sync", "now")
        let picture = try sees("a port") { $0["listening"]?.array?.isEmpty == false }
        return picture["listening"]?.array?.first?.string ?? ""
    }
}
