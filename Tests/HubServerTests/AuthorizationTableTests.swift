import Foundation
import HubProtocol
import HubServer
import TestKit
import Testing

/// The authorization table, spelled out once more and compared with the running hub.
@Suite("Who may call which route")
struct AuthorizationTableTests {
    private static let terminal: Set<String> = ["terminal"]
    private static let reading: Set<String> = ["viewer", "operator", "manager"]
    private static let office = reading.union(["integrator"])
    private static let overriding: Set<String> = ["operator", "manager"]
    private static let importing: Set<String> = ["manager", "integrator"]
    private static let managing: Set<String> = ["manager"]
    private static let everybody = terminal.union(reading).union(["nobody", "integrator"])

    private static let rows: [(method: String, path: String, who: Set<String>)] = [
        ("GET", Routes.health, everybody), ("GET", Routes.ready, everybody), ("GET", "/login", everybody),
        ("POST", Routes.mutation, terminal), ("POST", Routes.mutationBatch, terminal),
        ("GET", Routes.changes, terminal), ("GET", "/v1/products/1", terminal),
        ("POST", Routes.sessions, terminal), ("GET", Routes.members + "?phone=1", terminal),
        ("GET", "/v1/members/1", terminal),
        ("POST", Routes.leases, terminal), ("POST", Routes.leaseReturns, terminal),
        ("POST", Routes.receiptLookup, terminal), ("POST", Routes.refundDecisions, terminal),
        ("DELETE", "/v1/refunds/decisions/1", terminal),
        ("POST", Routes.promotionEvaluation, terminal),
        ("POST", Routes.authorizations, terminal), ("GET", "/v1/payments/authorizations/1", terminal),
        ("POST", "/v1/payments/authorizations/1/capture", terminal),
        ("POST", "/v1/payments/authorizations/1/void", terminal), ("POST", Routes.attachments, terminal),
        ("POST", Routes.telemetry, terminal), ("POST", Routes.qosReports, terminal),
        ("GET", Routes.qosDecisions, terminal), ("GET", "/", reading), ("GET", "/metrics", reading),
        ("GET", "/services", reading), ("GET", "/stores", reading), ("GET", "/terminals", reading),
        ("GET", "/offline", reading), ("GET", "/sales", reading), ("GET", "/overrides", reading),
        ("GET", "/log", reading),
        ("GET", "/terminals/1", reading), ("GET", "/assets/dashboard.css", everybody),
        // Forms need a session, which no caller of this test has.
        ("POST", "/overrides", []), ("POST", "/overrides/clear", []), ("POST", "/overrides/confirm", []),
        ("GET", Routes.qosServices, reading), ("PUT", "/v1/qos/services/payment/override", managing),
        ("DELETE", "/v1/qos/services/payment/override", managing),
        ("DELETE", "/v1/qos/services/payment/override?storeId=S1", overriding),
        ("POST", "/v1/qos/services/payment/override/confirmation", overriding),
        ("GET", Routes.stock, office), ("GET", Routes.terminals, office),
        ("PUT", "/v1/imports/products", importing),
        ("GET", "/orders/find?q=1", everybody),
        ("GET", "/orders", reading), ("GET", "/orders/1", reading), ("GET", "/alarms", reading),
        ("GET", "/flags", reading), ("GET", "/refused", reading), ("GET", "/refused/1", reading),
        ("POST", "/alarms/acknowledge", []), ("POST", "/refused/resolve", []),
        ("GET", Routes.orders, office), ("GET", "/v1/orders/1", office), ("GET", Routes.sales, office),
        ("GET", Routes.alarms, office), ("GET", Routes.flags, office), ("GET", Routes.refusals, office),
        ("GET", "/v1/refusals/1", office), ("POST", "/v1/alarms/1/acknowledgement", overriding),
        ("POST", "/v1/refusals/1/resolution", overriding),
        ("GET", "/admin/terminals", []), ("POST", "/admin/operators", []),
    ]

    @Test("Every route admits the roles of the table and refuses every other")
    func roles() async throws {
        let hub = try await HubInProcess()
        var callers: [String: [String: String]] = ["nobody": [:], "terminal": try await hub.enrol().headers]
        for role in ["viewer", "operator", "manager", "integrator"] {
            callers[role] = try await hub.operatorHeaders(role)
        }
        for row in Self.rows {
            // Whether an override is the chain's is in its body, so the role is checked behind it.
            let body = row.path.hasSuffix("/override") ? #"{"state":"faulty","reason":"x"}"# : "{}"
            for (caller, headers) in callers {
                let response = try await hub.request(
                    row.method, row.path, headers: headers, body: row.method == "GET" ? nil : body)
                // A browser without a session is led to the login; what is not on the port is not found.
                let isRefused =
                    [401, 403].contains(response.status) || response.headers["location"] == "/login"
                    || (row.who.isEmpty && response.status == 404)
                #expect(
                    isRefused != row.who.contains(caller),
                    "\(caller) \(row.method) \(row.path): \(response.status) \(response.text.prefix(120))")
            }
        }
    }
}
