internal import Base
package import AgentAPI
internal import Foundation
internal import HubProtocol
internal import OfflineCore
internal import Pricing
internal import Agent

/// `pos status` and the banner as text.
package enum StatusText {
    /// One line: the mode, whose trouble it is, what happens to the sale, what helps; in the language of the
    /// configuration, or of whoever looks.
    package static func banner(_ status: StatusResponse) -> String {
        let language = status.banner.language ?? Language(environment: environment).rawValue
        return status.banner.texts[language] ?? "-"
    }

    /// The language of the banner.
    static func language(_ status: StatusResponse) -> Language {
        status.banner.language.flatMap(Language.init) ?? Language(environment: environment)
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// All that `pos status` shows to a person, in the language of `text`. Evidence stays: whoever looks it
    /// up finds it in the manual.
    static func full(_ status: StatusResponse, _ text: any PosTexts) -> String {
        func row(_ row: StatusRow, _ content: String) -> String {
            let label = text.label(row)
            return label + String(repeating: " ", count: max(1, 10 - TextWidth.columns(label))) + content
        }
        let (network, running) = (status.network, status.running)
        var lines = [banner(status), row(.since, status.since ?? "-")]
        lines.append(
            row(
                .network,
                (countdown(network).map { text.decides(text.word(network.state.rawValue), in: $0) }
                    ?? text.word(network.state.rawValue)) + evidence(network)))
        lines += status.services.map { row(.service, service($0, text)) }
        let capabilities = status.capabilities.sorted { $0.key.rawValue < $1.key.rawValue }
        lines += capabilities.map {
            row(.can, "\(text.word($0.key.rawValue)): " + capability($0.value, text))
        }
        lines += (running?.tenders ?? []).map { row(.pay, TenderText(text).line($0)) }
        if let points = running?.points, points.valueMinor > 0 {
            lines.append(row(.points, TenderText(text).line(points)))
        }
        lines.append(row(.line, line(status, text)))
        if let running { lines.append(row(.sync, sync(running.policy, text))) }
        lines.append(row(.outbox, OutboxText.depth(status.outbox, text)))
        if let running { lines.append(row(.pull, OutboxText.pull(running.catalogue, text))) }
        if let detail = status.store.detail {
            lines.append(row(.store, detail.printable))
        }
        let held = status.store.heldBack
        if held > 0 {
            lines.append(
                row(
                    .held,
                    text.entriesHeldBack(held)))
        }
        if let debts = running?.cardDebts, debts > 0 {
            lines.append(
                row(
                    .debts,
                    text.cardDebts(debts)))
        }
        if let cards = running?.cardReturns, !cards.isEmpty {
            lines.append(row(.cards, self.cards(cards, text)))
        }
        if let number = running?.leap?.number {
            lines.append(
                row(
                    .numbers,
                    text.leapt(over: number.printable)))
        }
        if let version = running.flatMap({ OutboxText.schema($0.schema, text) }) {
            lines.append(row(.version, version))
        }
        lines.append(
            row(
                .hub,
                text.hub(status.hub, terminal: status.terminalId ?? "-")))
        return lines.joined(separator: "\n")
    }

    /// What the terminal's own card machine has to give back.
    private static func cards(_ counts: CardReturnCounts, _ text: any PosTexts) -> String {
        let parts = [
            (counts.waitingForMachine, text.cardsWaiting), (counts.waitingForCard, text.cardsWaitingForCard),
            (counts.requested, text.cardsRequested), (counts.refused, text.cardsRefused),
        ].filter { $0.0 > 0 }
        return parts.map { count, words in words(count) }.joined(separator: text.semicolon)
    }

    private static func service(_ service: ServiceState, _ text: any PosTexts) -> String {
        let (state, source) = (text.word(service.state.rawValue), text.word(service.source.rawValue))
        return "\(text.word(service.service)): "
            + (service.isCore ? text.coreState(state, by: source) : text.state(state, by: source))
    }

    private static func capability(_ capability: Capability, _ text: any PosTexts) -> String {
        var limits = self.limits(of: capability, text)
        if let obstacle = capability.obstacle { limits.append(obstacle.text(in: text.language)) }
        let suffix = limits.isEmpty ? "" : " (" + limits.joined(separator: "; ") + ")"
        let isStopped = capability.obstacle?.stopsAll == true
        let way = (isStopped ? text.notNow : text.word(capability.route)) + suffix
        return capability.needs.contains("approval") ? text.withApproval(way) : way
    }

    /// Of an obstacle its own line says more than the limit that names it. One of a later version stays.
    private static func limits(of capability: Capability, _ text: any PosTexts) -> [String] {
        capability.limits.compactMap { limit in
            CapabilityLimit(rawValue: limit).map(text.text) ?? (capability.obstacle == nil ? limit : nil)
        }
    }

    private static func line(_ status: StatusResponse, _ text: any PosTexts) -> String {
        let connectivity = status.connectivity
        var words = [connectivity.state.rawValue, connectivity.transport.rawValue]
        if connectivity.reason != .none { words.append(connectivity.reason.rawValue) }
        words = words.map(text.word)
        if let standby = connectivity.standby { words.append(text.standby(standby)) }
        if connectivity.isMetered { words.append(text.metered) }
        if connectivity.isConstrained { words.append(text.constrained) }
        if let quality = status.running?.quality, let p50 = quality.median, let p95 = quality.percentile95 {
            words.append(
                text.quality(
                    p50: p50.wholeMilliseconds, p95: p95.wholeMilliseconds,
                    failures: Int64(quality.failures), samples: Int64(quality.samples)))
        }
        if let good = connectivity.lastBackendOkAt {
            words.append(text.hubReached(good))
        }
        return words.joined(separator: text.comma)
    }

    /// What sync may do now and why not.
    private static func sync(_ policy: PolicyState, _ text: any PosTexts) -> String {
        let activities = [
            (policy.mutations, text.outbox), (policy.catalogue, text.changes),
            (policy.wholeCatalogue, text.wholeCatalogue),
            (policy.attachments, text.attachments), (policy.telemetry, text.telemetry),
        ]
        let words = activities.map { activity, name in
            let held = activity.heldBy.map { text.word($0.rawValue) }.joined(separator: ", ")
            return held.isEmpty ? name : text.pausedSync(name, by: held)
        }
        let line = words.joined(separator: " · ")
        return policy.usesSmallBatches ? text.smallBatches(line) : line
    }

    private static func countdown(_ network: NetworkState) -> String? {
        network.deadlineInMilliseconds.map { "\(($0 + 999) / 1000) s" }
    }

    private static func evidence(_ network: NetworkState) -> String {
        network.evidence.isEmpty ? "" : " [" + network.evidence.joined(separator: ", ") + "]"
    }
}
