internal import HubCore
public import HubProtocol
public import HubStore
public import Logging

/// The commands that need the QoS store, as this machine's owner sends them.
public struct QoSAdminService: AdminService {
    private let engine: QoSEngine
    private let overrides: OverrideService

    init(engine: QoSEngine, log: OperatorLog?) {
        self.engine = engine
        overrides = OverrideService(engine: engine, log: log)
    }

    /// A service on a store that no hub serves.
    public init(
        ledger: any QoSLedger, configuration: QoSConfiguration, logger: Logger
    ) async throws(LedgerError) {
        self.init(
            engine: try await QoSEngine.opened(ledger, configuration, logger: logger), log: nil)
    }

    /// Performs status, override and its end; every other call throws 404. A store that fails throws 503.
    public func perform(_ call: AdminCall) async throws(Problem) -> JSONValue {
        switch call {
        case .qosStatus: break
        case .overrideService(let service, let state, let reason, let until, let storeId):
            _ = try await overrides.set(
                OverrideService.Wanted(
                    service: service, state: state, reason: reason, until: until, storeId: storeId),
                by: .local)
        case .clearOverride(let service, let storeId):
            try await overrides.clear(service, storeId: storeId, by: .local)
        case _:
            throw .notFound("The sync role handles this request.")
        }
        do throws(LedgerError) {
            return try await engine.status()
        } catch {
            throw .storeUnavailable(saying: "\(error)")
        }
    }
}
