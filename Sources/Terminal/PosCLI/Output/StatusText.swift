internal import Base
package import AgentAPI
internal import Foundation
internal import HubProtocol
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

    /// Whether the banner is to be in Chinese.
    static func isChinese(_ status: StatusResponse) -> Bool {
        let language = status.banner.language.flatMap(Language.init(rawValue:))
        return (language ?? Language(environment: environment)) == .chinese
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// All that `pos status` shows to a person, in the language of the banner. Names of states, reasons and
    /// causes stay: they are those of the document and of the manual.
    static func full(_ status: StatusResponse, _: CheckoutText) -> String {
        let text = CheckoutText(isChinese: isChinese(status))
        func row(_ english: String, _ chinese: String, _ content: String) -> String {
            let label = text(english, chinese)
            return label + String(repeating: " ", count: max(1, 10 - TextWidth.columns(label))) + content
        }
        let (network, running) = (status.network, status.running)
        var lines = [banner(status), row("since", "起始", status.since ?? "-")]
        lines.append(
            row(
                "network", "网络",
                network.state
                    + (countdown(network).map { text(", decides in \($0)", "，\($0) 后判定") } ?? "")
                    + evidence(network)))
        lines += status.services.map { row("service", "服务", service($0, text)) }
        let capabilities = status.capabilities.sorted { $0.key < $1.key }
        lines += capabilities.map { row("can", "功能", "\($0.key): " + capability($0.value, text)) }
        lines += (running?.tenders ?? []).map { row("pay", "收款", TenderText(text).line($0)) }
        if let points = running?.points, points.valueMinor > 0 {
            lines.append(row("points", "积分", TenderText(text).line(points)))
        }
        lines.append(row("line", "线路", line(status, text)))
        if let running { lines.append(row("sync", "同步", sync(running.policy, text))) }
        lines.append(row("outbox", "待上传", OutboxText.depth(status.outbox, text)))
        if let running { lines.append(row("pull", "更新", OutboxText.pull(running.catalogue, text))) }
        if let detail = status.store.detail {
            lines.append(row("store", "数据库", detail.printable))
        }
        let held = status.store.heldBack
        if held > 0 {
            lines.append(
                row(
                    "held", "未上传",
                    text(
                        "\(held) entries, not sent: their content is not what was written",
                        "\(held) 笔：内容与写入时不符")))
        }
        if let debts = running?.cardDebts, debts > 0 {
            lines.append(
                row(
                    "debts", "欠款",
                    text(
                        "\(debts) cards refused after their sales: `pos doctor` names the orders",
                        "\(debts) 笔离线刷卡事后被拒：订单号见 `pos doctor`")))
        }
        if let cards = running?.cardReturns, cards.waiting + cards.refused > 0 {
            lines.append(row("cards", "退卡", self.cards(cards, text)))
        }
        if let number = running?.leap?.number {
            lines.append(
                row(
                    "numbers", "单号",
                    text(
                        "leapt over \(number.printable), which cannot be this terminal's",
                        "已跳过 \(number.printable)，该号码不可能属于本机")))
        }
        if let version = running.flatMap({ OutboxText.schema($0.schema, text) }) {
            lines.append(row("version", "版本", version))
        }
        lines.append(
            row(
                "hub", "总部",
                status.hub + text(", terminal ", "，本机 ") + (status.terminalId ?? "-")))
        return lines.joined(separator: "\n")
    }

    /// What the terminal's own card machine has to give back.
    private static func cards(_ counts: CardReturnCounts, _ text: CheckoutText) -> String {
        var parts: [String] = []
        if counts.waiting > 0 {
            parts.append(
                text(
                    "goes back to the card when the machine can be reached: \(counts.waiting)",
                    "\(counts.waiting) 笔退款待刷卡机连通后退回原卡"))
        }
        if counts.refused > 0 {
            parts.append(
                text(
                    "refused by the card machine, owed to customers: \(counts.refused), see `pos orders owed`",
                    "\(counts.refused) 笔被刷卡机拒绝，须付现金：`pos orders owed`"))
        }
        return parts.joined(separator: text("; ", "；"))
    }

    private static func service(_ service: ServiceState, _ text: CheckoutText) -> String {
        "\(service.service): \(service.state)" + (service.isCore ? text(" (core)", "（核心）") : "")
            + text(", by ", "，来源 ") + service.source
    }

    private static func capability(_ capability: Capability, _ text: CheckoutText) -> String {
        var limits = self.limits(of: capability, text)
        if let obstacle = capability.obstacle { limits.append(obstacle.text(in: text.language)) }
        let suffix = limits.isEmpty ? "" : " (" + limits.joined(separator: "; ") + ")"
        let isStopped = capability.obstacle?.stopsAll == true
        return (isStopped ? text("not now", "不可用") : capability.route) + suffix
            + (capability.needs.contains("approval") ? text(", with an approval", "，需批准") : "")
    }

    /// Those that are more than why the module has them.
    private static func limits(of capability: Capability, _ text: CheckoutText) -> [String] {
        let why = capability.obstacle?.text(in: .english) ?? ""
        return capability.limits.filter { !why.hasPrefix($0) }.map { limit in
            text.isChinese ? chineseLimits[limit] ?? limit : limit
        }
    }

    /// The limits of ``Capability`` in Chinese.
    private static let chineseLimits = [
        "prices as of the last pull": "价格以上次更新为准", "PINs as of the last pull": "密码以上次更新为准",
        "members as of the last pull": "会员以上次更新为准", "offers as of the last pull": "优惠以上次更新为准",
        "offers and coupons that need the hub are not given": "需总部核验的优惠和券不可用",
        "by the till's own card machine": "由本机刷卡机收款",
        "taken unapproved within offlineCard, and forwarded later": "限额内离线受理，稍后转发",
    ]

    private static func line(_ status: StatusResponse, _ text: CheckoutText) -> String {
        let connectivity = status.connectivity
        var words = [connectivity.state, connectivity.transport]
        if connectivity.reason != "none" { words.append(connectivity.reason) }
        if let standby = connectivity.standby { words.append(text("standby ", "备用线路 ") + standby) }
        if connectivity.isMetered { words.append(text("metered", "按流量计费")) }
        if connectivity.isConstrained { words.append(text("constrained", "受限")) }
        if let quality = status.running?.quality, let p50 = quality.medianMilliseconds,
            let p95 = quality.percentile95Milliseconds
        {
            let (failures, samples) = (quality.failures, quality.samples)
            words.append(
                text(
                    "p50 \(p50) ms, p95 \(p95) ms, \(failures) of \(samples) failed",
                    "p50 \(p50) 毫秒，p95 \(p95) 毫秒，\(samples) 次中 \(failures) 次失败"))
        }
        if let good = connectivity.lastBackendOkAt {
            words.append(text("hub last reached ", "上次连上总部 ") + good)
        }
        return words.joined(separator: text(", ", "，"))
    }

    /// What sync may do now and why not.
    private static func sync(_ policy: PolicyState, _ text: CheckoutText) -> String {
        let activities = [
            (policy.mutations, text("outbox", "单据")), (policy.catalogue, text("changes", "变更")),
            (policy.wholeCatalogue, text("whole catalogue", "完整目录")),
            (policy.attachments, text("attachments", "附件")), (policy.telemetry, text("telemetry", "遥测")),
        ]
        let words = activities.map { activity, name in
            let held = activity.heldBy.joined(separator: ", ")
            return held.isEmpty ? name : text("no \(name) (\(held))", "\(name)暂停（\(held)）")
        }
        let batches = policy.usesSmallBatches ? text(", in small batches", "，小批量") : ""
        return words.joined(separator: " · ") + batches
    }

    private static func countdown(_ network: NetworkState) -> String? {
        network.deadlineInMilliseconds.map { "\(($0 + 999) / 1000) s" }
    }

    private static func evidence(_ network: NetworkState) -> String {
        network.evidence.isEmpty ? "" : " [" + network.evidence.joined(separator: ", ") + "]"
    }
}
