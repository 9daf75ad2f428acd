import Base

internal import AgentAPI
internal import HubProtocol
internal import OfflineCore

/// The status as figures for a collector.
enum TerminalFigures {
    static func page(_ status: StatusResponse) -> MetricPage {
        var page = MetricPage()
        func gauge(_ name: String, _ help: String, _ value: Double?, _ labels: [(String, String)] = []) {
            page.declare("holdfast_terminal_" + name, .gauge, help)
            if let value { page.add("holdfast_terminal_" + name, value, labels) }
        }
        gauge(
            "info", "The terminal and its version; always 1.", 1,
            [
                ("terminal", status.terminalId ?? ""), ("store", status.storeId ?? ""),
                ("version", status.version),
            ])
        gauge("offline", "Whether the terminal is in the offline mode.", status.mode == .offline ? 1 : 0)
        for cause in OfflineCause.allCases {
            gauge(
                "offline_cause", "Whether this cause keeps it offline.",
                status.causes.contains(cause) ? 1 : 0, [("cause", cause.rawValue)])
        }
        for service in status.services {
            let labels = [("service", service.service)]
            gauge(
                "service_state", "What it does with a service: 0 healthy, 1 suspect or recovering, 2 faulty.",
                rank(service.state), labels)
            gauge(
                "service_generation", "The number of the hub's decision that it follows.",
                Double(service.generation), labels)
        }
        let outbox = status.outbox
        gauge("outbox_pending", "Entries that the hub does not have yet.", outbox.pending.map(Double.init))
        gauge(
            "outbox_age_seconds", "Age of the oldest of them; 0 without any.",
            outbox.pending == nil ? nil : Double(outbox.oldestAgeMilliseconds ?? 0) / 1000)
        gauge(
            "refused", "Entries that the hub refused and nobody has resolved.",
            outbox.pending == nil ? nil : Double(status.refusedCount))
        gauge("held_back", "Entries that are held back as damaged.", Double(status.store.heldBack))
        gauge("store_damaged", "Whether its database is damaged.", status.store.state == "damaged" ? 1 : 0)
        gauge(
            "hub_response_timestamp_seconds", "When the hub responded last, in seconds since 1970.",
            status.connectivity.lastBackendOkAt.flatMap(Timestamp.milliseconds(of:)).map {
                Double($0) / 1000
            })
        gauge(
            "latency_seconds", "Round trip of the last verified response.",
            status.connectivity.latencyMilliseconds.map { Double($0) / 1000 })
        gauge(
            "hub_ahead_seconds", "How far the hub's clock is ahead of this machine's.",
            status.running?.hubAheadMilliseconds.map { Double($0) / 1000 })
        gauge(
            "unseen_card_sales", "Card sales whose response nobody has seen.",
            status.running.map { Double($0.unseenCardSales) })
        gauge(
            "card_debts", "Cards that were taken offline and refused afterwards, settled by nobody.",
            status.running.map { Double($0.cardDebts) })
        return page
    }

    private static func rank(_ state: ServiceStatus.State) -> Double {
        switch state {
        case .healthy: 0
        case .suspect, .recovering: 1
        case .faulty: 2
        }
    }
}
