internal import HubStore
internal import Logging
internal import ServiceLifecycle

/// Adds what arrived to the sums of sales, so that a page of figures reads sums and not a day's sales. Of
/// several processes on one database one does it at a time.
struct SalesSumming: Service {
    let ledger: any Ledger
    let logger: Logger

    /// What arrives in between a reader adds up itself: at 500 sales a second some 20 ms of its work. Half of
    /// it looks twice as often for an idle hub; twice of it lets a reader wait twice as long.
    private static let interval: Duration = .seconds(2)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            repeat { await sumUp() } while (try? await Task.sleep(for: Self.interval)) != nil
        }
    }

    private func sumUp() async {
        do {
            while try await ledger.foldSales() > 0, !Task.isCancelled {}
        } catch {
            logger.warning("sales were not added up", metadata: ["reason": "\(error)"])
        }
    }
}
