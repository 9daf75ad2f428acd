internal import Foundation
internal import HubProtocol
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

    /// All that `pos status` shows to a person.
    static func full(_ status: JSONValue) -> String {
        var lines = [banner(status)]
        lines.append("since     \(status["since"]?.string ?? "-")")
        let network = status["network"]
        lines.append(
            "network   \(network?["state"]?.string ?? "-")"
                + (countdown(network).map { ", decides in \($0)" } ?? "")
                + evidence(network))
        for service in status["services"]?.array ?? [] {
            lines.append(
                "service   \(service["service"]?.string ?? "-"): \(service["state"]?.string ?? "-")"
                    + (service["core"]?.bool == true ? " (core)" : "")
                    + ", by \(service["source"]?.string ?? "-")")
        }
        for (name, capability) in (status["capabilities"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            let limits = (capability["limits"]?.array ?? []).compactMap(\.string)
            let suffix = limits.isEmpty ? "" : " (" + limits.joined(separator: "; ") + ")"
            lines.append("can       \(name): \(capability["route"]?.string ?? "-")\(suffix)")
        }
        lines.append("line      " + line(status))
        lines.append("sync      " + sync(status["policy"]))
        lines.append("outbox    " + OutboxText.depth(status["outbox"] ?? .null))
        lines.append("pull      " + OutboxText.pull(status["catalogue"]))
        if let detail = status["store"]?["detail"]?.string { lines.append("store     \(detail.printable)") }
        if let held = status["store"]?["heldBack"]?.integer, held > 0 {
            lines.append("held      \(held) entries, not sent: their content is not what was written")
        }
        if let number = status["orderNumbers"]?["leap"]?["number"]?.string {
            lines.append("numbers   leapt over \(number.printable), which cannot be this terminal's")
        }
        if let version = OutboxText.schema(status["schema"]) { lines.append("version   " + version) }
        lines.append(
            "hub       \(status["hub"]?.string ?? "-"), terminal \(status["terminalId"]?.string ?? "-")")
        return lines.joined(separator: "\n")
    }

    private static func line(_ status: JSONValue) -> String {
        let connectivity = status["connectivity"]
        let quality = status["quality"]
        var words = [connectivity?["state"]?.string ?? "-", connectivity?["transport"]?.string ?? "-"]
        if let reason = connectivity?["reason"]?.string, reason != "none" { words.append(reason) }
        if connectivity?["isMetered"]?.bool == true { words.append("metered") }
        if connectivity?["isConstrained"]?.bool == true { words.append("constrained") }
        if let p50 = quality?["p50Ms"]?.integer, let p95 = quality?["p95Ms"]?.integer {
            words.append(
                "p50 \(p50) ms, p95 \(p95) ms, \(quality?["failures"]?.integer ?? 0) of "
                    + "\(quality?["samples"]?.integer ?? 0) failed")
        }
        if let good = connectivity?["lastBackendOkAt"]?.string { words.append("hub last reached \(good)") }
        return words.joined(separator: ", ")
    }

    /// What sync may do now and why not.
    private static func sync(_ policy: JSONValue?) -> String {
        let names = [
            ("mutations", "outbox"), ("catalogue", "changes"), ("wholeCatalogue", "whole catalogue"),
            ("attachments", "attachments"), ("telemetry", "telemetry"),
        ]
        let words = names.map { key, name in
            let held = (policy?[key]?["heldBy"]?.array ?? []).compactMap(\.string)
            return held.isEmpty ? name : "no \(name) (\(held.joined(separator: ", ")))"
        }
        let batches = policy?["smallBatches"]?.bool == true ? ", in small batches" : ""
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
