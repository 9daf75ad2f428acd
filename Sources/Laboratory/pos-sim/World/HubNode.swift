import Base
import CVirtualTime
import CurlHTTP
import Foundation
import HubCore
import HubProtocol
import HubServer
import Logging
import LinuxRuntime
import MachineRuntime

/// The hub: its routes, its services and its store on files, without a socket.
@MainActor
final class HubNode {
    private let world: World
    private let folder: String
    /// A process has a copy of the store to itself: the one before it was killed, and may still end its work
    /// there.
    private var generation = 0
    private var process: (hub: SocketlessHub, work: Task<Void, Never>)?

    init(_ world: World, folder: String) {
        (self.world, self.folder) = (world, folder)
    }

    /// When it was put back to a backup, in milliseconds of the world.
    private(set) var restoredAt: Int64 = -1

    var isUp: Bool { process != nil }

    private var place: String { "\(folder)/hub-\(generation)" }

    /// Of the process that is up, or comes next.
    private var configuration: HubConfiguration {
        get throws {
            guard let store = StoreLocation("sqlite:\(place)/hub.sqlite") else {
                throw WorldError("no store")
            }
            return HubConfiguration(store: store)
        }
    }

    private var backup: String { folder + "/hub.backup" }

    /// Does nothing where it runs: a fault at night may have ended by starting it before the morning does.
    func start() async throws {
        guard process == nil else { return }
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        var configuration = try configuration
        configuration.limits.openRequestsPerAddressPerSecond = 1_000
        // Without the pages of operators, whose reader looks at the fleet every 750 ms.
        configuration.roles = [.sync, .qos]
        let hub = try await SocketlessHub(
            configuration, session: NoSession(),
            logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() })
        process = (hub, Task { await hub.run() })
        world.trace.note("hub", "up")
    }

    /// The process is gone at this moment, and its files stay as they are.
    ///
    /// - Parameter cut: the power cut that ends it; nil: the machine goes on, and has all that was written.
    func kill(by cut: PowerCut? = nil) throws {
        guard let process else { return }
        let before = place
        generation += 1
        var cut = cut
        try copyFiles(from: before, to: place, after: &cut)
        process.work.cancel()
        self.process = nil
        world.trace.note("hub", "gone" + (cut.map { ", \($0.lost) writes lost" } ?? ""))
    }

    /// Writes a backup, as `pos-hub backup` does.
    func backUp() throws {
        try? FileManager.default.removeItem(atPath: backup)
        _ = try StoreBackup.write(configuration, to: backup)
    }

    /// Makes a store of the backup in place of the one that is there, as `pos-hub restore` does; the hub is
    /// down.
    func restore() async throws {
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        _ = try await StoreBackup.restore(backup, to: configuration)
        for till in world.tills { till.link.forgetDecisions() }
        restoredAt = Trace.now
        world.trace.note("hub", "restored")
    }

    private func copyFiles(from source: String, to target: String, after cut: inout PowerCut?) throws {
        let files = FileManager.default
        if files.fileExists(atPath: target) { try files.removeItem(atPath: target) }
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: source).sorted()
        where !name.hasSuffix(".lock") && !name.hasSuffix("-shm") && !name.hasSuffix(".sock") {
            let path = target + "/" + name
            try files.copyItem(atPath: source + "/" + name, toPath: path)
            if var present = cut, let bytes = files.contents(atPath: path) {
                let left = present.leaves(of: source + "/" + name, bytes)
                if left != bytes { try left.write(to: URL(fileURLWithPath: path)) }
                cut = present
            }
            virtual_time_synced(path)
        }
    }

    /// The hub's response; nil when it died meanwhile.
    func respond(to request: HTTPRequest) async -> HTTPResponse? {
        guard let process else { return nil }
        let mine = generation
        let scheme = request.url.range(of: "://")
        let rest = scheme.map { request.url[$0.upperBound...] } ?? request.url[...]
        let target = rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
        let response = await process.hub.response(
            request.method.rawValue, target, headers: request.headers.map { ($0.name, $0.value) },
            body: request.body, from: "10.0.0.1")
        guard mine == generation, isUp, let response else { return nil }
        if (200..<300).contains(response.status), target.hasPrefix(Routes.mutation) {
            await world.checks.acknowledged(request.body ?? [], response.body)
            guard mine == generation, isUp else { return nil }
        }
        let date = HTTPDate.text(milliseconds: LinuxSystemTime().wallMilliseconds())
        return HTTPResponse(
            status: response.status,
            headers: response.headers.map { HTTPHeader($0.name, $0.value) } + [HTTPHeader("Date", date)],
            body: response.body)
    }

    /// A member's points.
    ///
    /// - Parameter headers: of a till that may read members.
    func points(of member: String, headers: [HTTPHeader]) async -> Int64? {
        let request = HTTPRequest(
            method: .get, url: "https://hub.test" + Routes.members + "/" + member, headers: headers,
            timeout: .seconds(10))
        guard let response = await respond(to: request), response.status == 200 else { return nil }
        return (try? JSONParser.parse(response.body))?["points"]?.integer
    }

    /// Does what a command of `pos-hub` does.
    @discardableResult
    func perform(_ call: AdminCall) async throws -> JSONValue {
        guard let process else { throw WorldError("the hub is down") }
        return try await process.hub.perform(call)
    }

    /// Does what `pos-hub ingest` does with a file in plain text; nothing more once the hub is gone.
    func ingest(_ file: [UInt8]) async throws {
        let (_, heading, _) = try JournalExport.opening(of: file)
        let journal = try JournalExport(file)
        let opened = try await perform(.openExport(ExportOpening(heading: heading, registers: false)))
        guard let key = opened["publicKey"]?.string, journal.isSigned(by: key) else {
            return world.fail("an export is its terminal's", "\(journal.heading.terminalId)")
        }
        var rest = journal.entries[...]
        var mark: JournalPart.Mark? = JournalPart.Mark(entries: Int64(journal.entries.count), reason: nil)
        while !rest.isEmpty, isUp {
            let part = rest.prefix(MutationBatch.maximumCount)
            let response = try await perform(
                .ingest(
                    JournalPart(
                        terminalId: journal.heading.terminalId, epoch: journal.heading.epoch,
                        lowSequence: journal.entries.first?.sequence ?? 1, entries: part.map(\.json),
                        mark: mark)))
            if response["refused"]?.array?.isEmpty == false {
                world.fail("the hub takes what tills sold", "\(response.canonicalText.prefix(400))")
            }
            mark = nil
            rest = rest.dropFirst(part.count)
        }
    }

    /// Imports a list of articles, as `pos-hub import` reads it.
    func importArticles(_ list: String) async throws {
        try await process?.hub.importList(.products, list)
    }

    /// Imports a list of another kind.
    func importList(_ kind: String, _ text: String) async throws {
        guard let kind = ImportedList.Kind(name: kind) else { throw WorldError("no list of \(kind)") }
        try await process?.hub.importList(kind, text)
    }

    /// Whether the store has a mutation.
    func has(_ mutationId: String) async -> Bool {
        guard let process else { return true }
        let mine = generation
        let found = try? await process.hub.perform(.backOffice(.showOrder(mutationId)))
        return found != nil || mine != generation
    }

    /// A code for one more till of a store.
    func code(of storeId: String) async throws -> String {
        let minted = try await perform(.mintCode(storeId: storeId, lifetime: 3_600_000))
        guard let code = minted["code"]?.string else { throw WorldError("no code") }
        return code
    }
}

/// The world itself cannot go on.
struct WorldError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
