internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// Whether what was recorded gets through to the hub; nothing to say while it does.
extension Doctor {
    func delivery() async -> [DoctorCall.Check] {
        let delivery = offline.status.delivery
        var checks: [DoctorCall.Check] = []
        switch delivery.trouble {
        // The check of the identity says it.
        case nil, .account?: break
        case .route(_, let problem)?, .entries(_, let problem)?:
            checks.append(
                check("sending", false, texts.notSending(Self.short(problem)), fix: texts.checkWay))
        }
        if delivery.entries > 0 { checks.append(await entries(delivery.entries)) }
        return checks
    }

    private func entries(_ count: Int) async -> DoctorCall.Check {
        let rows = (try? await store.outbox.entries(limit: 1_000)) ?? []
        let named = rows.filter { $0.state == .pending && $0.problem != nil }.prefix(3).map {
            "\($0.type) \($0.id): \(Self.short($0.problem ?? ""))"
        }
        return check(
            "entries", false,
            texts.entries(count, named.joined(separator: "; ")), fix: texts.resolveEntries)
    }

    /// The first part of what came back, for one line.
    private static func short(_ problem: String) -> String {
        problem.count > 160 ? "\(problem.prefix(160))…".printable : problem.printable
    }
}
