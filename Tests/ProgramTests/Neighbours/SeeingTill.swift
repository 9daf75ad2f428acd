import Foundation
import HubProtocol
import TestKit
import Testing

/// A till whose agent runs beside others of its shop, at a port of its own on loopback.
final class SeeingTill {
    let shop: ShopUnderTest
    let home: String
    /// Started before its programs.
    private let wrapper: [String]
    private let settings: ShopSettings
    private var agent: ProgramUnderTest?

    /// Enrols the till in `store` and starts its agent.
    ///
    /// - Parameters:
    ///   - others: whom it greets, `ADDRESS:PORT` each.
    ///   - listening: where; nil: wherever a till does by itself.
    ///   - hub: its own way to the hub; the shop's without it.
    ///   - wrapper: what is started before its programs; the shop's without it.
    ///   - more: laid over its settings.
    init(
        _ shop: ShopUnderTest, _ name: String, of store: String = "S1", greeting others: [String] = [],
        listening: String? = "127.0.0.1:0", hub: String? = nil, behind wrapper: [String]? = nil,
        with more: ShopSettings = [:]
    )
        throws
    {
        self.shop = shop
        self.wrapper = wrapper ?? shop.tillWrapper
        home = shop.folder.path(name)
        settings = shop.settings.with([
            "POS_NEIGHBOURS_LISTEN": listening ?? "",
            "POS_NEIGHBOURS_ADDRESSES": others.joined(separator: ","),
        ]).with(more)
        let code = try shop.posHub("enrol-code", "--store-id", store)["code"]?.string ?? ""
        _ = try document("init", "--hub", hub ?? shop.hubURL, "--enrol", code, "--name", name)
        try start()
    }

    /// Another computer with the disk of `till`, which has to be copied to its home; its agent does not run.
    init(of till: SeeingTill, _ name: String, greeting others: [String], listening: String) {
        (shop, wrapper) = (till.shop, till.wrapper)
        home = shop.folder.path(name)
        settings = till.settings.with([
            "POS_NEIGHBOURS_LISTEN": listening, "POS_NEIGHBOURS_ADDRESSES": others.joined(separator: ","),
        ])
    }

    /// Places on loopback for tills that greet each other: `ADDRESS:PORT` each, free just now.
    static func freePlaces(_ count: Int) throws -> [String] {
        let listeners = try (0..<count).map { _ in try SilentListener() }
        defer { listeners.forEach { $0.stop() } }
        return listeners.map { "127.0.0.1:\($0.port)" }
    }

    deinit { agent?.kill() }

    /// - Parameter more: laid over the settings of this start.
    func start(with more: ShopSettings = [:]) throws {
        try begin(with: more)
        try awaitReady()
    }

    /// Starts the agent and does not wait until it is ready.
    func begin(with more: ShopSettings = [:]) throws {
        agent = try ProgramUnderTest(
            "pos", ["agent", "--home", home], environment: settings.with(more), behind: wrapper)
    }

    /// After ``begin(with:)``.
    func awaitReady() throws { try agent?.line { $0 == "ready" } }

    var isRunning: Bool { agent != nil }

    /// Kills the agent as a power cut would.
    func kill() {
        agent?.kill()
        agent = nil
    }

    func run(_ arguments: String..., input: [String] = []) throws -> FinishedProgram {
        try run(arguments, input: input)
    }

    func run(_ arguments: [String], input: [String] = []) throws -> FinishedProgram {
        try ProgramUnderTest.run(
            "pos", arguments + ["--home", home], environment: settings, input: input, behind: wrapper)
    }

    func document(_ arguments: String...) throws -> JSONValue {
        let end = try ProgramUnderTest.run(
            "pos", arguments + ["--json", "--home", home], environment: settings, behind: wrapper)
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

extension SeeingTill {
    /// How many files and connections its agent has open.
    func openFiles() throws -> Int {
        let agent = try #require(agent)
        return try FileManager.default.contentsOfDirectory(
            atPath: "/proc/\(agent.processIdentifier)/fd"
        ).count
    }

    /// The most memory that its agent ever had, in KiB.
    func peakKiB() throws -> Int {
        let agent = try #require(agent)
        let status = try String(contentsOfFile: "/proc/\(agent.processIdentifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }

    /// Sells one piece of each article, by their places in the assortment.
    ///
    /// - Returns: what they cost, in minor units.
    func sell(_ articles: [Int]) throws -> Int64 {
        try articles.reduce(0) { sum, number in
            let article = Article.assortment[number]
            _ = try document("sell", "--line", article.barcode)
            return sum + article.price
        }
    }
}

/// What a till shows of the others.
extension JSONValue {
    /// The till `terminalId` in it.
    func neighbour(_ terminalId: String) -> JSONValue? {
        self["neighbours"]?.array?.first { $0["terminalId"]?.string == terminalId }
    }

    /// How many tills are `reachable`, or of another state.
    func neighbours(_ state: String) -> Int {
        self["neighbours"]?.array?.count { $0["state"]?.string == state } ?? 0
    }

    /// Whether another till has seen a later end of this till's own journal.
    var isBehind: Bool { self["behind"]?.bool == true }

    /// Whether nothing is in it that a hostile till made up: an end of this till's own journal, or a cart.
    var isUnharmed: Bool {
        let carts = (self["neighbours"]?.array ?? []).flatMap { $0["carts"]?.array ?? [] }
        return !isBehind && !carts.contains { $0["id"] == "forged" }
    }
}

extension ShopUnderTest {
    /// Looks again and again, since neither the hub's nor another till's progress is announced to a test.
    func eventually(
        _ what: String, within seconds: Double = 60, _ condition: () throws -> Bool
    ) throws {
        let end = Date().addingTimeInterval(seconds)
        while try !condition() {
            guard Date() < end else { throw ShopError.notReached(what, last: "") }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }
}
