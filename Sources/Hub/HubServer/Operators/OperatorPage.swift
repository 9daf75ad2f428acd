import Base

internal import HubCore
internal import HubProtocol

/// The operators' page: the decision on each service, and which tills there are. No script, no form.
struct OperatorPage {
    /// The operator whose session shows the page.
    struct SignedIn {
        let name: String
        let role: OperatorRole
        let csrfToken: String
    }

    /// Nil with a token, on the local socket, and where `ops.open` is set.
    let signedIn: SignedIn?
    let services: [JSONValue]
    let terminals: [TerminalRecord]

    var html: String {
        HTMLText.page(
            title: "Hub",
            """
            \(signedIn.map(Self.signOut) ?? "")
            <h1>Services</h1>
            \(Self.table(["Service", "State", "Source", "Since", "Reason"], services.map(Self.cells)))
            <h1>Terminals</h1>
            \(Self.table(["Terminal", "Store", "Number", "Name", "Enrolled", "Revoked"], terminals.map(Self.cells)))
            """)
    }

    private static func signOut(_ person: SignedIn) -> String {
        "<form class=\"end\" method=\"post\" action=\"/logout\">\(HTMLText.escaped(person.name)), "
            + "\(person.role.rawValue) <input type=\"hidden\" name=\"csrf\" value=\"\(person.csrfToken)\">"
            + "<button>Sign out</button></form>"
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
        let body = rows.map { row in
            "<tr>" + row.map { "<td>\(HTMLText.escaped($0))</td>" }.joined() + "</tr>"
        }
        return "<table><tr>\(head)</tr>\(body.joined(separator: "\n"))</table>"
    }
}
