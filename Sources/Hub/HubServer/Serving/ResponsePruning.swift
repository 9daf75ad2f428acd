internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// Drops responses that no terminal will request again, at the start and every hour. Several processes on one
/// database may all do it.
struct ResponsePruning: Service {
    let ledger: any Ledger
    let now: @Sendable () -> Int64
    let logger: Logger

    private static let interval: Duration = .seconds(3600)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await prune() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    private func prune() async {
        do {
            let count = try await ledger.dropOldResponses(at: now())
            if count > 0 { logger.info("dropped old answers", metadata: ["count": "\(count)"]) }
            let attachments = try await ledger.dropUnnamedAttachments(at: now())
            if attachments > 0 {
                logger.info(
                    "dropped attachments that no mutation names", metadata: ["count": "\(attachments)"])
            }
        } catch {
            logger.warning("old answers were not dropped", metadata: ["reason": "\(error)"])
        }
    }
}
