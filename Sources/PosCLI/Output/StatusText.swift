internal import Foundation
internal import HubProtocol
internal import Pricing
internal import Terminal

/// The words for `pos status` and the banner, made from the status document.
enum StatusText {
    /// One line: the mode, whose trouble it is, what happens to the sale, what helps; in the language of the
    /// configuration, or of whoever looks.
    static func banner(_ status: JSONValue) -> String {
        let banner = status["banner"]
        let language = banner?["language"]?.string ?? BannerLanguage(environment: environment).rawValue
        return banner?["text"]?[language]?.string ?? "-"
    }

    /// Whether the banner is to be in Chinese.
    static func isChinese(_ status: JSONValue) -> Bool {
        let language = status["banner"]?["language"]?.string.flatMap(BannerLanguage.init(rawValue:))
        return (language ?? BannerLanguage(environment: environment)) == .chinese
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// All that `pos status` shows to a person, in the language of the banner. Names of states, reasons and
    /// causes stay: they are those of the document and of the manual.
    static func full(_ status: JSONValue) -> String {
        let text = CheckoutText(isChinese: isChinese(status))
        func row(_ english: String, _ chinese: String, _ content: String) -> String {
            let label = text(english, chinese)
            return label + String(repeating: " ", count: max(1, 10 - TextWidth.columns(label))) + content
        }
        let network = status["network"]
        var lines = [banner(status), row("since", "起始", status["since"]?.string ?? "-")]
        lines.append(
            row(
                "network", "网络",
                "\(network?["state"]?.string ?? "-")"
                    + (countdown(network).map { text(", decides in \($0)", "，\($0) 后判定") } ?? "")
                    + evidence(network)))
        lines += (status["services"]?.array ?? []).map { row("service", "服务", service($0, text)) }
        let capabilities = (status["capabilities"]?.object ?? [:]).sorted { $0.key < $1.key }
        lines += capabilities.map { row("can", "功能", "\($0.key): " + capability($0.value, text)) }
        lines.append(row("line", "线路", line(status, text)))
        lines.append(row("sync", "同步", sync(status["policy"], text)))
        lines.append(row("outbox", "待上传", OutboxText.depth(status["outbox"] ?? .null, text)))
        lines.append(row("pull", "更新", OutboxText.pull(status["catalogue"], text)))
        if let detail = status["store"]?["detail"]?.string {
            lines.append(row("store", "数据库", detail.printable))
        }
        if let held = status["store"]?["heldBack"]?.integer, held > 0 {
            lines.append(
                row(
                    "held", "未上传",
                    text(
                        "\(held) entries, not sent: their content is not what was written",
                        "\(held) 笔：内容与写入时不符")))
        }
        if let number = status["orderNumbers"]?["leap"]?["number"]?.string {
            lines.append(
                row(
                    "numbers", "单号",
                    text(
                        "leapt over \(number.printable), which cannot be this terminal's",
                        "已跳过 \(number.printable)，该号码不可能属于本机")))
        }
        if let version = OutboxText.schema(status["schema"], text) {
            lines.append(row("version", "版本", version))
        }
        lines.append(
            row(
                "hub", "总部",
                "\(status["hub"]?.string ?? "-")"
                    + text(", terminal ", "，本机 ") + (status["terminalId"]?.string ?? "-")))
        return lines.joined(separator: "\n")
    }

    private static func service(_ service: JSONValue, _ text: CheckoutText) -> String {
        "\(service["service"]?.string ?? "-"): \(service["state"]?.string ?? "-")"
            + (service["core"]?.bool == true ? text(" (core)", "（核心）") : "")
            + text(", by ", "，来源 ") + (service["source"]?.string ?? "-")
    }

    private static func capability(_ capability: JSONValue, _ text: CheckoutText) -> String {
        let limits = (capability["limits"]?.array ?? []).compactMap(\.string).map { limit in
            text.isChinese ? chineseLimits[limit] ?? limit : limit
        }
        let suffix = limits.isEmpty ? "" : " (" + limits.joined(separator: "; ") + ")"
        return (capability["route"]?.string ?? "-") + suffix
    }

    /// The limits of `CapabilityDocument` in Chinese.
    private static let chineseLimits = [
        "prices as of the last pull": "价格以上次更新为准", "PINs as of the last pull": "密码以上次更新为准",
        "members as of the last pull": "会员以上次更新为准", "offers as of the last pull": "优惠以上次更新为准",
        "offers and coupons that need the hub are not given": "需总部核验的优惠和券不可用",
        "card payments need the hub; take cash": "刷卡需要总部，请收现金",
    ]

    private static func line(_ status: JSONValue, _ text: CheckoutText) -> String {
        let connectivity = status["connectivity"]
        let quality = status["quality"]
        var words = [connectivity?["state"]?.string ?? "-", connectivity?["transport"]?.string ?? "-"]
        if let reason = connectivity?["reason"]?.string, reason != "none" { words.append(reason) }
        if connectivity?["isMetered"]?.bool == true { words.append(text("metered", "按流量计费")) }
        if connectivity?["isConstrained"]?.bool == true { words.append(text("constrained", "受限")) }
        if let p50 = quality?["p50Ms"]?.integer, let p95 = quality?["p95Ms"]?.integer {
            let (failures, samples) = (quality?["failures"]?.integer ?? 0, quality?["samples"]?.integer ?? 0)
            words.append(
                text(
                    "p50 \(p50) ms, p95 \(p95) ms, \(failures) of \(samples) failed",
                    "p50 \(p50) 毫秒，p95 \(p95) 毫秒，\(samples) 次中 \(failures) 次失败"))
        }
        if let good = connectivity?["lastBackendOkAt"]?.string {
            words.append(text("hub last reached ", "上次连上总部 ") + good)
        }
        return words.joined(separator: text(", ", "，"))
    }

    /// What sync may do now and why not.
    private static func sync(_ policy: JSONValue?, _ text: CheckoutText) -> String {
        let names = [
            ("mutations", text("outbox", "单据")), ("catalogue", text("changes", "变更")),
            ("wholeCatalogue", text("whole catalogue", "完整目录")),
            ("attachments", text("attachments", "附件")), ("telemetry", text("telemetry", "遥测")),
        ]
        let words = names.map { key, name in
            let held = (policy?[key]?["heldBy"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
            return held.isEmpty ? name : text("no \(name) (\(held))", "\(name)暂停（\(held)）")
        }
        let batches = policy?["smallBatches"]?.bool == true ? text(", in small batches", "，小批量") : ""
        return words.joined(separator: " · ") + batches
    }

    private static func countdown(_ network: JSONValue?) -> String? {
        network?["deadlineInMs"]?.integer.map { "\(($0 + 999) / 1000) s" }
    }

    private static func evidence(_ network: JSONValue?) -> String {
        let words = (network?["evidence"]?.array ?? []).compactMap(\.string)
        return words.isEmpty ? "" : " [" + words.joined(separator: ", ") + "]"
    }
}
