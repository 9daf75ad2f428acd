internal import HubProtocol

/// The words for services and offline periods.
enum QoSText {
    static func services(_ document: JSONValue) -> String {
        let rows = (document["services"]?.array ?? []).map { service in
            "\(service["service"]?.string ?? "-")  this terminal: \(service["state"]?.string ?? "-") "
                + "(\(service["source"]?.string ?? "-"))  QoS: \(service["qos"]?["state"]?.string ?? "no answer")"
                + (service["qos"]?["reason"]?.string.map { " (\($0.printable))" } ?? "")
        }
        return rows.isEmpty ? "no services known" : rows.joined(separator: "\n")
    }

    static func periods(_ document: JSONValue) -> String {
        let rows = (document["periods"]?.array ?? []).map { period in
            let causes = (period["causes"]?.array ?? []).compactMap(\.string).joined(separator: "+")
            let evidence = (period["evidence"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
            return "\(period["start"]?.string ?? "-") … \(period["end"]?.string ?? "still")  \(causes)  "
                + "\(period["sales"] == 1 ? "1 sale" : "\(period["sales"]?.integer ?? 0) sales")  [\(evidence)]"
        }
        return rows.isEmpty ? "never offline so far" : rows.joined(separator: "\n")
    }

    static func doctor(_ document: JSONValue) -> String {
        (document["checks"]?.array ?? []).map { check in
            let mark = check["ok"]?.bool == true ? "ok  " : "FAIL"
            return "\(mark)  \(check["name"]?.string ?? "-"): \((check["detail"]?.string ?? "").printable)"
        }.joined(separator: "\n")
    }
}
