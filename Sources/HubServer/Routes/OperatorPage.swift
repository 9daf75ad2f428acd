internal import HubCore
internal import HubProtocol

/// The operators' page: what is said of each service, and which tills there are. No script, no form.
struct OperatorPage {
    let services: [JSONValue]
    let terminals: [TerminalRecord]

    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head><meta charset="utf-8"><title>Hub</title>
        <style>body{font:16px sans-serif;margin:2rem}td,th{padding:.3rem 1rem .3rem 0;text-align:left}</style>
        </head>
        <body>
        <h1>Services</h1>
        \(Self.table(["Service", "State", "Source", "Since", "Reason"], services.map(Self.cells)))
        <h1>Terminals</h1>
        \(Self.table(["Terminal", "Store", "Number", "Name", "Enrolled", "Revoked"], terminals.map(Self.cells)))
        </body>
        </html>
        """
    }

    private static func cells(_ service: JSONValue) -> [String] {
        ["service", "state", "source", "since", "reason"].map { service[$0]?.string ?? "" }
    }

    private static func cells(_ terminal: TerminalRecord) -> [String] {
        [
            terminal.id, terminal.storeId, String(terminal.number), terminal.name,
            Timestamp.text(milliseconds: terminal.enrolledAt),
            terminal.revokedAt.map(Timestamp.text(milliseconds:)) ?? "",
        ]
    }

    private static func table(_ heads: [String], _ rows: [[String]]) -> String {
        let head = heads.map { "<th>\($0)</th>" }.joined()
        let body = rows.map { row in "<tr>" + row.map { "<td>\(escaped($0))</td>" }.joined() + "</tr>" }
        return "<table><tr>\(head)</tr>\(body.joined(separator: "\n"))</table>"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case _: escaped.append(character)
            }
        }
        return escaped
    }
}
