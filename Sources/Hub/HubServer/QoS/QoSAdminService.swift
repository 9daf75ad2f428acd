internal import HubCore
import Base
public import HubProtocol
public import HubStore
public import Logging
internal import OfflineCore
internal import MachineRuntime

/// The commands that need the QoS store.
public struct QoSAdminService: AdminService {
    private let engine: QoSEngine
    private let operatorName: String

    init(engine: QoSEngine, operatorName: String) {
        self.engine = engine
        self.operatorName = operatorName
    }

    /// A service on a store that no hub serves.
    public init(
        ledger: any QoSLedger, configuration: QoSConfiguration, logger: Logger
    ) async throws(LedgerError) {
        engine = try await QoSEngine.opened(ledger, configuration, logger: logger)
        operatorName = "local"
    }

    /// Performs status, override and its end; every other call throws 404. A store that fails throws 503.
    public func perform(_ call: AdminCall) async throws(Problem) -> JSONValue {
        switch call {
        case .qosStatus: break
        case .overrideService(let service, let state, let reason, let until):
            try await override(service, state, reason, until)
        case .clearOverride(let service):
            try await require(service)
            await engine.liftOverride(service)
        case _:
            throw .notFound("The sync role handles this request.")
        }
        do throws(LedgerError) {
            return try await engine.status()
        } catch {
            throw .storeUnavailable(saying: "\(error)")
        }
    }

    private func override(
        _ service: String, _ text: String, _ reason: String, _ until: Int64?
    ) async throws(Problem) {
        try await require(service)
        guard let state = ServiceDecision.State(rawValue: text) else {
            throw .malformed("A state is healthy, faulty or recovering, not \"\(text.prefix(40))\".")
        }
        guard (1...500).contains(reason.unicodeScalars.count) else {
            throw .malformed("A reason of 1 to 500 characters belongs to an operator's override.")
        }
        guard until.map({ $0 > LinuxSystemTime.hub.wallMilliseconds() }) ?? true else {
            throw .malformed("The override would have ended already; `until` must be in the future.")
        }
        await engine.override(service, state: state, reason: reason, by: operatorName, until: until)
    }

    private func require(_ service: String) async throws(Problem) {
        let known = await engine.knownServices
        guard known.contains(service) else {
            throw .notFound(
                "No service is named \"\(service.prefix(40))\"; there are \(known.joined(separator: ", ")).")
        }
    }
}
