internal import HubCore
internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// Removes what is old, at the start and every hour. Several processes on one database may all do it.
struct RetentionService: Service {
    let ledger: any Ledger
    let periods: RetentionPeriods
    let now: @Sendable () -> Int64
    let logger: Logger

    private static let interval: Duration = .seconds(3600)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await removeOld() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    /// A kind that cannot be removed now does not keep the others.
    private func removeOld() async {
        for kind in RetentionKind.allCases {
            await attempt("\(kind.rawValue) that are old were not removed") {
                let count = try await ledger.remove(kind, after: periods, at: now())
                guard count > 0 else { return }
                logger.info(
                    "removed what was old",
                    metadata: ["kind": "\(kind.rawValue)", "count": "\(count)", "days": "\(periods[kind])"])
            }
        }
        await attempt("counts of past days were not removed") { try await ledger.removeOldCounts(at: now()) }
    }

    private func attempt(_ failure: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            logger.warning("\(failure)", metadata: ["reason": "\(error)"])
        }
    }
}
