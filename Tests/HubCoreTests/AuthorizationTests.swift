import Foundation
import HubCore
import Testing

@Suite("Who may do what")
struct AuthorizationTests {
    @Test("Every action has one row, and the row decides for every role")
    func rows() {
        for action in ProtectedAction.allCases {
            let rows = AuthorizationTable.rules.filter { $0.action == action }
            #expect(rows.count == 1, "\(action)")
            for role in CallerRole.allCases {
                #expect(AuthorizationTable.allows(action, by: role) == rows.first?.who.contains(role))
            }
        }
    }

    @Test("A terminal's role is by which store's the record is")
    func roles() {
        let device = DeviceIdentity(terminalId: "T1", storeId: "S1")
        #expect(CallerRole.role(of: device, towardsStore: "S1") == .storeTerminal)
        #expect(CallerRole.role(of: device, towardsStore: "") == .chainTerminal)
    }

    @Test("Only terminals push, and what operators may do no terminal may")
    func separated() {
        let terminals: Set<CallerRole> = [.ownTerminal, .storeTerminal, .chainTerminal]
        for type in ["order.voided", "points.adjusted", "note.deleted", "mutation.discarded"] {
            let action = ProtectedAction(mutationType: type)
            let rule = AuthorizationTable.rules.first { $0.action == action }
            #expect(rule?.who.isSubset(of: terminals) == true)
        }
        for action in [ProtectedAction.administer, .overrideChain, .importMasterData, .readOperations] {
            #expect(terminals.allSatisfy { !AuthorizationTable.allows(action, by: $0) })
        }
        #expect(ProtectedAction(mutationType: "order.invented") == nil)
    }

    /// `REGENERATE_PAGES=1` writes the page anew instead of comparing it.
    @Test("The page shows the table that the hub uses")
    func page() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("docs/reference/authorization.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        guard ProcessInfo.processInfo.environment["REGENERATE_PAGES"] != nil else {
            #expect(page.contains(AuthorizationTable.markdown + "\n"))
            return
        }
        let text = page.components(separatedBy: "\n| action |").first ?? page
        try (text + "\n" + AuthorizationTable.markdown + "\n")
            .write(to: file, atomically: true, encoding: .utf8)
    }
}
