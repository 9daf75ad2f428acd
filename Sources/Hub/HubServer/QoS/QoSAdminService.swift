internal import HubCore
package import HubProtocol
package import HubStore
package import Logging

/// The commands that need the QoS store, as this machine's owner sends them.
package struct QoSAdminService: AdminService {
    private let engine: QoSEngine
    private let overrides: OverrideService

    init(engine: QoSEngine, log: OperatorLog?) {
        self.engine = engine
        overrides = OverrideService(engine: engine, log: log)
    }

    /// A service on a store that no hub serves.
    package init(
        ledger: any QoSLedger, configuration: QoSConfiguration, logger: Logger
    ) async throws(LedgerError) {
        self.init(
            engine: try await QoSEngine.opened(ledger, configuration, logger: logger), log: nil)
    }

    /// Performs status, history, override and its end; every other call throws 404, a failing store 503.
    package func perform(_ call: AdminCall) async throws(Problem) -> JSONValue {
        var wasThere = true
        switch call {
        case .qosStatus: break
        case .qosTerminals: return ["terminals": await engine.terminals()]
        case .qosHistory(let service, let limit): return try await history(of: service, limit)
        case .overrideService(let service, let state, let reason, let until, let storeId):
            _ = try await overrides.set(
                OverrideService.Wanted(
                    service: service, state: state, reason: reason, until: until, storeId: storeId),
                by: .local)
        case .clearOverride(let service, let storeId):
            wasThere = try await overrides.clear(service, storeId: storeId, by: .local)
        case _:
            throw .notFound("The sync role handles this request.")
        }
        do throws(LedgerError) {
            let status = try await engine.status()
            guard case .clearOverride = call else { return status }
            return status.with(["cleared": .bool(wasThere)])
        } catch {
            throw .storeUnavailable(saying: "\(error)")
        }
    }

    private func history(of service: String?, _ limit: Int64) async throws(Problem) -> JSONValue {
        let known = await engine.knownServices
        if let service, !known.contains(service) {
            throw .notFound(
                "No service is named \"\(service.prefix(40))\"; there are \(known.joined(separator: ", ")).")
        }
        guard (1...Self.longestHistory).contains(limit) else {
            throw .malformed("A history has from 1 to \(Self.longestHistory) changes.")
        }
        do throws(LedgerError) {
            return ["history": try await engine.history(of: service, limit: Int(limit))]
        } catch {
            throw .storeUnavailable(saying: "\(error)")
        }
    }

    /// As many as a store keeps of a service.
    private static let longestHistory: Int64 = 1_000
}
