internal import HubProtocol

/// The words for `pos status` and the banner, made from the status document.
enum StatusText {
    /// One line: the mode, whose trouble it is, what happens to the sale.
    static func banner(_ status: JSONValue) -> String {
        let pending = status["outbox"]?["pending"]?.integer ?? 0
        let waiting = pending == 0 ? "" : " · \(pending) waiting to be sent"
        guard status["mode"]?.string == "offline" else { return online(status) + waiting }
        return "OFFLINE 离线 · " + reasons(status).joined(separator: "; ")
            + " · sales are kept here and sent by themselves" + waiting
    }

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
        lines.append("outbox    " + OutboxText.depth(status["outbox"] ?? .null))
        lines.append(
            "hub       \(status["hub"]?.string ?? "-"), terminal \(status["terminalId"]?.string ?? "-")")
        return lines.joined(separator: "\n")
    }

    private static func online(_ status: JSONValue) -> String {
        switch status["connectivity"]?["state"]?.string {
        case "authBlocked":
            "ONLINE · the hub does not know this terminal any more: sign it in with `pos init`"
        case "onlineDegraded": "ONLINE · the line is slow; sales do not wait for it"
        case "localNetworkOnly", "offline":
            "CONNECTING… · sales are taken and sent as soon as the hub answers"
        default: "ONLINE 在线"
        }
    }

    private static func reasons(_ status: JSONValue) -> [String] {
        (status["causes"]?.array ?? []).compactMap(\.string).map { cause in
            switch cause {
            case "manual":
                let reason = status["manual"]?["reason"]?.string
                return reason == "flag_corrupt"
                    ? "the file of the manual switch cannot be read; `pos offline off` clears it"
                    : "switched off by hand" + (reason.map { " (\($0))" } ?? "")
                        + "; `pos offline on|off` changes it"
            case "network":
                return "the shop's network is down; check cable and Wi-Fi"
            case "service":
                let faulty = (status["services"]?.array ?? [])
                    .filter { $0["core"]?.bool == true && $0["state"]?.string != "healthy" }
                    .compactMap { $0["service"]?.string }
                return
                    "the hub's service is down (\(faulty.joined(separator: ", "))); nothing to mend in the shop"
            default:
                return cause
            }
        }
    }

    private static func countdown(_ network: JSONValue?) -> String? {
        network?["deadlineInMs"]?.integer.map { "\(($0 + 999) / 1000) s" }
    }

    private static func evidence(_ network: JSONValue?) -> String {
        let words = (network?["evidence"]?.array ?? []).compactMap(\.string)
        return words.isEmpty ? "" : " [" + words.joined(separator: ", ") + "]"
    }
}
