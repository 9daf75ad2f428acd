import FaultRelay
import Foundation
import HubProtocol
import TestKit

/// A complete shop in its own folder: a hub with a small catalogue, a till, and between them what the test
/// needs. Everything is removed with the object.
final class ShopUnderTest {
    /// What is between the till and the hub; both may be.
    struct Way: OptionSet {
        let rawValue: Int
        /// A relay of bytes that can go dead or cut.
        static let relay = Way(rawValue: 1)
        /// A front that reads HTTP and may respond in place of the hub.
        static let front = Way(rawValue: 2)
    }

    let folder: TemporaryFolder
    /// Laid over the environment of every `pos` command.
    var settings: ShopSettings
    /// Started before the till's programs, `ip netns exec NAME` for example.
    var tillWrapper: [String] = []
    var hubWrapper: [String] = []
    /// What follows `pos-hub serve`, without `--listen` and `--store`.
    var serveArguments: [String] = []
    /// Where the hub keeps its orders, as `--store` takes it; nil for a file in the folder.
    var store: String?
    /// Whether the hub serves https.
    var isSecure = false
    /// Where the hub listens; the port is 0 until it was started once.
    var hubHost = "127.0.0.1"
    /// Where else it listens than at the address that tills have of it.
    var listenHost: String?
    var hubPort: UInt16 = 0
    var hub: ProgramUnderTest?
    var agent: ProgramUnderTest?
    private(set) var relay: FaultRelay?
    private(set) var front: HubFront?

    /// An empty folder; nothing runs yet.
    init(unstarted settings: ShopSettings) throws {
        folder = try TemporaryFolder()
        self.settings = settings
    }

    /// A shop that is ready to sell: the hub runs, the till is initialised, no agent runs.
    convenience init(
        _ way: Way = [], articles: [Article] = Article.assortment, serving: [String] = [],
        settings: ShopSettings = .hurried, store: String? = nil, currency: String = Article.currency
    ) throws {
        try self.init(unstarted: settings)
        self.store = store
        serveArguments = serving
        try startHub()
        try importCatalogue(articles, in: currency)
        try build(way)
        try initialiseTill()
    }

    deinit {
        agent?.kill()
        hub?.kill()
        front?.stop()
        relay?.stop()
    }

    var home: String { folder.path("till") }
    var storeArguments: [String] { ["--store", store ?? "sqlite:" + folder.path("hub.sqlite")] }

    /// The address of the hub in the configuration of the till.
    var hubURL: String {
        if let relay { return "http://127.0.0.1:\(relay.port)" }
        if let front { return "http://127.0.0.1:\(front.port)" }
        return "\(isSecure ? "https" : "http")://\(hubHost):\(hubPort)"
    }

    private func build(_ way: Way) throws {
        if way.contains(.front) { front = try HubFront(target: hubPort) }
        if way.contains(.relay) { relay = try FaultRelay(target: front?.port ?? hubPort) }
    }
}

/// Why a step on stage could not be made.
enum ShopError: Error, CustomStringConvertible {
    /// The command ended with another exit code than 0.
    case commandFailed([String], FinishedProgram)
    /// The output is not one JSON object.
    case notOneDocument([String])
    case notReached(String, last: String)
    case noResponse(after: Int, errors: [String])

    var description: String {
        switch self {
        case .commandFailed(let command, let end):
            "\(command.joined(separator: " ")) ended with \(end.exitCode): \(end.errors) \(end.output)"
        case .notOneDocument(let lines): "not one JSON object: \(lines)"
        case .notReached(let what, let last): "never reached: \(what); last seen: \(last)"
        case .noResponse(let after, let errors): "no answer after \(after) answers: \(errors)"
        }
    }
}
