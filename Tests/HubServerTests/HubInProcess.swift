import Base
import Crypto
import Foundation
import HTTPTypes
import Dashboard
import HubCore
import HubProtocol
import HubStore
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OfflineCore
import Synchronization
import TestKit
import Testing

@testable import HubServer

/// A hub without a process and a socket: the parts that `pos-hub serve` runs, on a real store in a folder of
/// its own, and with clocks that only a test moves.
final class HubInProcess: Sendable {
    let folder: TemporaryFolder
    let clock: ClockUnderTest
    /// Where its store is, for a hub after it.
    let place: String
    private let parts: HubParts
    private let network: Application<RouteTable>
    /// One for all rounds, as a process has it.
    private let webhooks: WebhookService?

    /// - Parameters:
    ///   - folder: the store's, of an earlier hub or fresh.
    ///   - kind: which store it keeps everything in.
    ///   - place: an earlier hub's store; a fresh one of the kind without it.
    ///   - clock: an earlier hub's, or one that stands at now.
    ///   - webhookTimeout: for a receiver's response.
    ///   - configure: changes the standard configuration, by which terminals adjust points.
    init(
        in folder: TemporaryFolder? = nil, on kind: HubStoreKind = .sqlite, at place: String? = nil,
        clock: ClockUnderTest = ClockUnderTest(), webhookTimeout: Duration = .seconds(1),
        _ configure: (inout HubConfiguration) -> Void = { _ in }
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        let place = try place ?? kind.place(in: folder)
        var configuration = HubConfiguration(store: try #require(StoreLocation(place)))
        configuration.limits.intake.pointsAdjustedPerDay = 1_000_000
        configure(&configuration)
        self.folder = folder
        self.place = place
        self.clock = clock
        parts = try await HubParts(
            configuration, clocks: clock.clocks,
            logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() })
        var webhooks = parts.webhooks
        webhooks?.sender.timeout = webhookTimeout
        self.webhooks = webhooks
        let connections = Connections(maximum: 16, perAddress: 16, addresses: PeerAddresses(trusted: []))
        network = Application(responder: parts.networkTable(connections))
    }

    /// Sends one request as a terminal or an operator does, from this machine.
    func request(
        _ method: String, _ path: String, headers: [String: String] = [:], body: String? = nil,
        bytes raw: [UInt8]? = nil
    ) async throws -> LoopbackResponse {
        var fields = HTTPFields()
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let verb = try #require(HTTPRequest.Method(method))
        let (sent, bytes) = (fields, raw.map { ByteBuffer(bytes: $0) } ?? body.map { ByteBuffer(string: $0) })
        return try await network.test(.router) { client in
            try await client.execute(uri: path, method: verb, headers: sent, body: bytes) { response in
                var names: [String: String] = [:]
                for field in response.headers { names[field.name.canonicalName] = field.value }
                return LoopbackResponse(
                    status: response.status.code, headers: names,
                    body: Array(response.body.readableBytesView),
                    cookies: response.headers[values: .setCookie].map { String($0.prefix { $0 != ";" }) })
            }
        }
    }

    /// Serves on a port of this machine while `body` runs, as `pos-hub serve` does.
    func overSockets(_ body: @escaping @Sendable (_ port: UInt16) async throws -> Void) async throws {
        let (ports, port) = AsyncStream<UInt16>.makeStream()
        let connections = Connections(maximum: 64, perAddress: 64, addresses: PeerAddresses(trusted: []))
        let listener = try Listener(
            place: .network(try #require(ListenAddress("127.0.0.1:0")), nil),
            routes: parts.networkTable(connections), connections: connections,
            now: clock.clocks.monotonic, logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() },
            onListening: { address in
                port.yield(address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0)
                port.finish()
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await listener.run() }
            for await port in ports { try await body(port) }
            group.cancelAll()
        }
    }

    /// Does what a command of `pos-hub` does, as its owner.
    ///
    /// - Returns: what the command prints with `--json`.
    /// - Throws: the ``Problem`` that it shows.
    @discardableResult
    func perform(_ call: AdminCall) async throws -> JSONValue {
        switch call {
        case .qosStatus, .qosTerminals, .qosHistory, .overrideService, .clearOverride:
            let engine = try #require(parts.engine)
            return try await QoSAdminService(engine: engine, log: parts.stores.authorizer.log).perform(call)
        case _:
            return try await #require(parts.stores.ledgerService).perform(call)
        }
    }

    /// The business day that its dashboard begins with, at a moment.
    func runningDay(at now: Int64) async throws -> String {
        try await StoreDirectory(of: try #require(parts.stores.sync).ledger).clock.day(at: now)
    }

    /// The store that it keeps everything in.
    var ledger: any Ledger { get throws { try #require(parts.stores.sync).ledger } }

    /// What its dashboard shows of today, at a moment.
    func runningSales(at now: Int64) async throws -> SalesSummary {
        let ledger = try #require(parts.stores.sync).ledger
        return try await SalesSummary(of: ledger, in: try await StoreDirectory(of: ledger), at: now)
    }

    /// Writes what was counted of look-ups, and gives the kinds of alarms that were raised.
    func alarmsOfLookUps() async throws -> [String] {
        await parts.memberReads?.keep()
        let alarms = try await perform(.backOffice(.listAlarms(.init(SalesFilter()), all: true)))["alarms"]
        return alarms?.array?.compactMap { $0["kind"]?.string } ?? []
    }

    /// One round of comparing the shifts of all terminals.
    func compareShifts() async { await parts.shifts?.lookAtAll() }

    /// One round of looking at what is lent to terminals of which nothing comes.
    func lookAtLeases() async { await parts.leaseWatch?.look() }

    /// One round of bringing payments to their service.
    func forwardPayments() async throws { await (try #require(parts.forwarding)).work() }

    /// One round of sending the journal feed to its receivers.
    func deliverWebhooks() async { await webhooks?.work() }

    /// The key that terminals seal card tokens to.
    var signingKeys: [HubPublicKey] { parts.stores.authorizer.keys.offered.signing }
    var sealingKey: HubPublicKey? { parts.stores.authorizer.keys.offered.sealing.first }

    /// The code of the problem with which a command ends; nil for one that succeeds.
    func refusal(_ call: AdminCall) async throws -> ProblemCode? {
        do {
            try await perform(call)
            return nil
        } catch let problem as Problem {
            return problem.code
        }
    }

    /// A code for a till of a store, valid for an hour.
    func enrolmentCode(store: String = "S1") async throws -> String {
        let minted = try await perform(.mintCode(storeId: store, lifetime: 3_600_000))
        return try #require(minted["code"]?.string)
    }

    /// Enrols a till.
    func enrol(store: String = "S1") async throws -> TillOverHTTP {
        TillOverHTTP(try await enrolSigning(store: store).grant)
    }

    /// Enrols a till with a key of its own, or with one of before.
    func enrolSigning(
        store: String = "S1", key: Curve25519.Signing.PrivateKey = .init()
    ) async throws -> SigningTill {
        let response = try await enrol(code: try await enrolmentCode(store: store), key: key)
        try #require(response.status == 201, "\(response.text)")
        return SigningTill(key: key, grant: try EnrolmentGrant(json: response.json()))
    }

    /// Takes back a till of another hub, as after a restore: it waits for a person.
    func readmit(_ till: SigningTill, store: String = "S1") async throws {
        let stores = try #require(parts.stores.sync)
        _ = try await stores.ledger.readmit(
            TerminalRecord(
                id: till.grant.terminalId, storeId: store, number: 7, name: "back",
                publicKey: till.key.publicKey.rawRepresentation.base64EncodedString(), enrolledAt: 0,
                revokedAt: nil, tokenExpiresAt: 0, unconfirmedSince: 0))
    }

    /// Pieces of a till that others handed in, newer than any other.
    func noteRelays(_ count: Int, of terminalId: String) async throws {
        let ledger = try #require(parts.stores.sync).ledger
        _ = try await ledger.change { session in
            try session.run(
                (0..<count).map { number in
                    RelayRecord(
                        terminalId: terminalId, digest: "\(number)", epoch: 1, first: 1, last: 1,
                        by: "keeper", at: 4_000_000_000_000, held: nil
                    ).noting
                })
        }
    }

    /// What the hub responds to a code.
    func enrol(
        code: String, key: Curve25519.Signing.PrivateKey = .init(), headers: [String: String] = [:]
    ) async throws -> LoopbackResponse {
        try await send(try SignedEnrolment(code: code, key: key, at: clock.text), headers: headers)
    }

    /// What the hub responds to an enrolment.
    func send(
        _ enrolment: SignedEnrolment, headers: [String: String] = [:]
    ) async throws -> LoopbackResponse {
        try await request(
            "POST", Routes.terminals, headers: enrolment.headers.merging(headers) { $1 }, body: enrolment.body
        )
    }

    /// What the audit knows of the only terminal.
    func audit() async throws -> JSONValue {
        try #require(try await perform(.audit(terminal: nil))["terminals"]?.array?.first)
    }

    /// The headers of an operator of a role, who is named like it unless the test needs two of them.
    func operatorHeaders(
        _ role: String = "manager", named name: String? = nil
    ) async throws -> [String: String] {
        let added = try await perform(
            .addOperator(name: name ?? role, role: role, lifetime: 3_600_000))
        return ["Authorization": "Bearer \(try #require(added["token"]?.string))"]
    }
}

/// The two clocks of a hub under test, which stand still until a test moves them.
final class ClockUnderTest: Sendable {
    private let passed = Mutex(Duration.zero)
    private let start: Int64

    /// Begins at now: order numbers and dates of tests are of today.
    init() {
        start = Int64(Date().timeIntervalSince1970 * 1000)
    }

    /// Milliseconds since 1970.
    var now: Int64 { start + passed.withLock { $0.wholeMilliseconds } }

    var text: String { Timestamp.text(milliseconds: now) }

    func advance(by duration: Duration) { passed.withLock { $0 += duration } }

    var clocks: HubClocks {
        HubClocks(
            wall: { self.now },
            monotonic: { Instant(nanoseconds: 1_000_000_000) + self.passed.withLock(\.self) })
    }
}

extension TillOverHTTP {
    /// Pushes one mutation alone.
    func push(
        _ mutation: Mutation, on hub: HubInProcess, headers more: [String: String] = [:]
    ) async throws -> LoopbackResponse {
        let key = [HeaderNames.idempotencyKey: "\"\(mutation.id)\""]
        return try await hub.request(
            "POST", Routes.mutation, headers: headers.merging(key) { $1 }.merging(more) { $1 },
            body: mutation.json.canonicalText)
    }

    /// Pushes mutations as a batch.
    func push(
        _ mutations: [Mutation], epoch: Int64 = 1, on hub: HubInProcess
    ) async throws -> LoopbackResponse {
        let batch = MutationBatch(mutations: mutations, epoch: epoch, lowSequence: mutations.first?.sequence)
        return try await hub.request(
            "POST", Routes.mutationBatch, headers: headers, body: batch.json.canonicalText)
    }

    /// Reads a path as this terminal.
    func get(_ path: String, on hub: HubInProcess) async throws -> LoopbackResponse {
        try await hub.request("GET", path, headers: headers)
    }
}

extension HubInProcess {
    /// Imports a file of that text.
    ///
    /// - Returns: how many of its records were `new`, `changed` and `unchanged`.
    /// - Throws: ``CSVError`` for a file with a mistake.
    @discardableResult
    func imported(_ kind: ImportedList.Kind, _ text: String) async throws -> JSONValue {
        let file = try ImportedFile(Array(text.utf8), of: kind)
        return try await perform(.importList(file.list, withdrawing: file.withdrawn))
    }
}
