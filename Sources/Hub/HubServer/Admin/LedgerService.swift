internal import Crypto
internal import Foundation
internal import HubCore
import Base
package import HubProtocol
package import HubStore
internal import LinuxRuntime
internal import MachineRuntime

/// The commands that need the order store.
package struct LedgerService: AdminService {
    let ledger: any Ledger
    let vault: HubKeyVault
    private let publishedKeys: PublishedKeys
    private let revocations: Revocations
    private let known: KnownTerminals
    private let operators: Operators
    let now: @Sendable () -> Int64

    /// The service that a command uses itself: while no process serves a file, or beside the processes that
    /// serve a database. There every process reads for itself who may call.
    package init(ledger: any Ledger, configuration: HubConfiguration) {
        let paths: StorePaths? =
            if case .sqlite(let path) = configuration.store { StorePaths(ledger: path) } else { nil }
        self.init(
            ledger: ledger,
            vault: HubKeyVault(
                ledger: ledger, configuration: configuration, now: LinuxSystemTime.hub.wallMilliseconds),
            publishedKeys: PublishedKeys(path: paths?.publicKeys),
            revocations: Revocations(configuration), known: KnownTerminals(path: paths?.terminals),
            operators: Operators(path: paths?.operators), now: LinuxSystemTime.hub.wallMilliseconds)
    }

    init(
        ledger: any Ledger, vault: HubKeyVault, publishedKeys: PublishedKeys, revocations: Revocations,
        known: KnownTerminals, operators: Operators, now: @escaping @Sendable () -> Int64
    ) {
        self.ledger = ledger
        self.vault = vault
        self.publishedKeys = publishedKeys
        self.revocations = revocations
        self.known = known
        self.operators = operators
        self.now = now
    }

    /// Performs every call but the three of the QoS role, which throw 404. A store that fails throws 503.
    /// What a call changes is in the operators' log.
    package func perform(_ call: AdminCall) async throws(Problem) -> JSONValue {
        let response = try await performed(call)
        guard let act = call.act(at: now()) else { return response }
        do throws(LedgerError) {
            try await ledger.keepActs([act])
        } catch {
            throw .storeUnavailable(saying: "\(error)")
        }
        return response
    }

    private var settings: StoreSettingsService { StoreSettingsService(ledger: ledger, now: now) }

    private func performed(_ call: AdminCall) async throws(Problem) -> JSONValue {
        do {
            switch call {
            case .mintCode(let storeId, let lifetime):
                return try await mintCodes(1, storeId, lifetime).first ?? .null
            case .mintCodes(let storeId, let lifetime, let count):
                return ["codes": .array(try await mintCodes(count, storeId, lifetime))]
            case .listTerminals: return try await listTerminals()
            case .revokeTerminal(let id): return try await revoke(id)
            case .showTerminal(let id): return try await showTerminal(id)
            case .acceptRelayed(let id, let reason): return try await acceptRelayed(id, reason: reason)
            case .confirmTerminal(let id): return try await confirm(id)
            case .linkTerminal(let id, let earlier): return try await link(id, to: earlier)
            case .listCodes: return try await listCodes()
            case .revokeCode(let id): return try await revokeCode(id)
            case .importList(let list, let gone): return try await importList(list, withdrawing: gone)
            case .hashPINs(let cashiers): return try await hashPINs(cashiers)
            case .withdraw(let kind, let id): return try await withdraw(kind, id)
            case .eraseMember(let id): return try await eraseMember(id)
            case .revertMembers(let reversal): return try await revertMembers(reversal)
            case .releaseHeldPoints(let held): return try await releaseHeldPoints(held)
            case .doubleMembers(let limit): return try await doubleMembers(limit: Int(limit))
            case .mergeMembers(let kept, let other):
                return try await mergeMembers(keeping: kept, over: other)
            case .audit(let terminal): return try await audit(terminal)
            case .checkStore: return try await ledger.check().json
            case .openExport(let opening): return try await openExport(opening)
            case .registerTerminal(let opening): return try await register(opening)
            case .ingest(let part): return try await ingest(part)
            case .findReceipt(let number): return try await findReceipt(number)
            case .listAttachments(let terminal): return try await listAttachments(terminal)
            case .readAttachment(let id, let terminal, let firstByte):
                return try await readAttachment(id, of: terminal, at: firstByte)
            case .ingestAttachment(let part): return try await ingestAttachment(part)
            case .addOperator(let name, let role, let lifetime):
                return try await addOperator(name, role, lifetime)
            case .listOperators: return try await listOperators()
            case .removeOperator(let name): return try await removeOperator(name)
            case .operatorLog(let limit): return try await operatorLog(limit)
            case .storeSettings(let id): return try await settings.show(id)
            case .changeStoreSettings(let id, let changes):
                return try await settings.change(changes, of: id)
            case .listKeys: return try await listKeys()
            case .rotateKeys(let kinds, let overlap): return try await rotateKeys(kinds, overlap: overlap)
            case .replaceLostKeys: return try await replaceLostKeys()
            case .exportKeys(let id): return try await exportKeys(id)
            case .importKeys(let keys): return try await importKeys(keys)
            case .readJournal(let after, let storeId, let types):
                let filter = JournalFilter(storeId: storeId, kinds: try JournalPage.kinds(types))
                return try await JournalPage.read(after: after, limit: nil, filter, from: ledger).json
            case .webhook(let call):
                return try await WebhookAdministration(ledger: ledger, now: now).perform(call)
            case .archive(let call):
                return try await ArchiveService(ledger: ledger, now: now).perform(call)
            case .backOffice(let call):
                return try await BackOffice(ledger: ledger, now: now).perform(
                    call, by: OperatorIdentity.local.name)
            case .qosStatus, .qosTerminals, .qosHistory, .overrideService, .clearOverride:
                throw Problem.notFound("The QoS role handles this request.")
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as LedgerError {
            throw .storeUnavailable(saying: "\(error)")
        } catch let error as HubKeyError {
            throw .keysUnusable("\(error)")
        } catch {
            throw .internalError
        }
    }

    private func revoke(_ id: String) async throws -> JSONValue {
        guard let terminal = try await ledger.revoke(id, at: now()) else {
            throw Problem.noTerminal(id)
        }
        try await publish()
        return terminal.json
    }

    /// Brings the keys in the change feed in line with the terminals; nothing is written where they agree.
    /// Receipts of a terminal that is revoked, or not confirmed yet, the hub alone checks.
    private func publishKeys(of terminals: [TerminalRecord]) async throws {
        let trusted = terminals.filter(\.isTrusted)
        let others = Set(terminals.map(\.id)).subtracting(trusted.map(\.id))
        _ = try await ledger.importEntities(
            trusted.map { TerminalKey(terminalId: $0.id, storeId: $0.storeId, publicKey: $0.publicKey) },
            withdrawing: others.sorted().map { EntityKey(TerminalKey.entity, $0) }, at: now())
    }

    /// Publishes one terminal that came in: with ten thousand of them a reading of all takes longer than the
    /// enrolment.
    func publish(newcomer terminal: TerminalRecord) async throws {
        try known.publish([terminal])
        try await publishKeys(of: [terminal])
    }

    /// Publishes to every process of the hub which terminals are revoked and who is an operator.
    func publish() async throws {
        let terminals = try await ledger.terminals()
        let revoked = try revocations.publish(Set(terminals.filter { $0.revokedAt != nil }.map(\.id)))
        for terminal in terminals where terminal.revokedAt == nil && revoked.contains(terminal.id) {
            // Revoked after the backup that this store was restored from.
            _ = try await ledger.revoke(terminal.id, at: now())
        }
        try known.publish(terminals)
        try await publishKeys(of: terminals)
        if !vault.keys.ring.entries.isEmpty {
            try publishedKeys.publish(vault.keys)
        }
        try operators.publish(try await ledger.operators())
    }

    private func audit(_ terminal: String?) async throws -> JSONValue {
        let audits = try await ledger.audit(terminal: terminal)
        if let terminal, audits.isEmpty { throw Problem.noTerminal(terminal) }
        let debts = try await ledger.paymentDebts(of: terminal)
        return ["terminals": .array(audits.map(\.json)), "debts": .array(debts.map(\.json))]
    }
}

extension Problem {
    /// For this machine's own commands, which may know why.
    static func storeUnavailable(saying message: String) -> Problem {
        Problem(
            status: 503, code: .storeUnavailable, title: "The store is not available", detail: message)
    }
}

extension Problem {
    /// For this machine's own commands.
    fileprivate static func keysUnusable(_ message: String) -> Problem {
        Problem(
            status: 409, code: ProblemCode(rawValue: "hub_keys_unusable"), title: "The keys are not usable",
            detail: message)
    }
}

extension TerminalRecord {
    var json: JSONValue {
        [
            "terminalId": .string(id), "storeId": .string(storeId), "terminalNumber": .integer(number),
            "name": .string(name), "enrolledAt": .string(Timestamp.text(milliseconds: enrolledAt)),
            "revokedAt": JSONValue(revokedAt.map(Timestamp.text(milliseconds:))),
            "tokenExpiresAt": .string(Timestamp.text(milliseconds: tokenExpiresAt)),
            "state": .string(state.rawValue),
            "unconfirmedSince": JSONValue(unconfirmedSince.map(Timestamp.text(milliseconds:))),
        ]
    }
}
