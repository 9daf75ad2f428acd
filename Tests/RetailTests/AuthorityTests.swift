import HubProtocol
import OfflineCore
import Testing

@testable import Retail

@Suite("Who acts at the terminal")
struct AuthorityTests {
    private let ports = ScriptedPorts()

    init() {
        ports.copy.with {
            $0.pins = ["c1": "1234", "c2": "4321", "m1": "999999", "m2": "888888"]
            $0.managers = ["m1", "m2"]
        }
    }

    private func refusal<Value>(
        _ body: () async throws(AuthorityRefusal) -> Value
    ) async -> AuthorityRefusal? {
        do throws(AuthorityRefusal) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    private func claim(_ id: String? = nil, _ pin: String? = nil) -> PersonClaim {
        PersonClaim(cashierId: id, pin: pin)
    }

    private func approved(by id: String, _ pin: String?, for cashier: PersonClaim) -> PersonClaim {
        PersonClaim(cashierId: cashier.cashierId, pin: cashier.pin, approver: .init(id: id, pin: pin))
    }

    @Test("is nobody in a store without cashiers, or the person that a request names")
    func noCashiers() async throws {
        ports.copy.with { $0.pins = [:] }
        let authority = try ports.checkout(listing: Set(ApprovalAction.allCases)).authority
        #expect(
            try await authority.authorize(claim("somebody"), [.refund])
                == Authorization(cashierId: "somebody", approverId: nil))
        #expect(
            await refusal { () throws(AuthorityRefusal) in
                try await authority.signIn("c1", pin: "1234")
            } == .noCashiers)
    }

    @Test("is the person signed in, over a restart, until nothing was theirs for the idle time")
    func signedIn() async throws {
        let first = try ports.checkout().authority
        #expect(
            await refusal { () throws(AuthorityRefusal) in try await first.authorize(claim()) }
                == .signInRequired)
        let signIn = try await first.signIn("c1", pin: "1234")
        #expect(signIn.cashier.name == "Name of c1" && signIn.cashier.role == .cashier)
        #expect(try await first.authorize(claim()).cashierId == "c1")
        #expect(try await first.authorize(claim("c1")).cashierId == "c1")
        #expect(
            await refusal { () throws(AuthorityRefusal) in try await first.authorize(claim("c2")) }
                == .pinRequired(personId: "c2"))
        ports.with { $0.wall += 899_999 }
        let second = try ports.checkout().authority
        let expiry = try #require(try await second.signedIn()?.expiresAt)
        #expect(expiry == ports.with { $0.wall } + 1)
        // Looking is no command of theirs.
        #expect(try await second.authorize(claim()).cashierId == "c1")
        ports.with { $0.wall += 899_999 }
        #expect(try await second.authorize(claim()).cashierId == "c1")
        ports.with { $0.wall += 900_000 }
        #expect(try await second.signedIn() == nil)
        #expect(
            await refusal { () throws(AuthorityRefusal) in try await second.authorize(claim()) }
                == .signInRequired)
    }

    @Test("is written down at most once a minute, and a clock that was set ends it")
    func clocks() async throws {
        let authority = try ports.checkout().authority
        _ = try await authority.signIn("c1", pin: "1234")
        for _ in 0..<100 {
            ports.with { $0.wall += 1000 }
            _ = try await authority.authorize(claim())
        }
        #expect(ports.with { $0.signInsKept } == 2)
        ports.with { $0.wallShift = 900_000 }
        #expect(try await authority.signedIn() == nil)
        ports.with { $0.wallShift = -900_000 }
        #expect(try await authority.signedIn()?.signIn.cashier.id == "c1")
        ports.with {
            $0.bootId = "boot-2"; $0.bootAt = $0.wall
        }
        #expect(try await authority.signedIn() == nil)
    }

    @Test("ends with a sign-out, a changed PIN and a withdrawal")
    func ends() async throws {
        let authority = try ports.checkout().authority
        _ = try await authority.signIn("c1", pin: "1234")
        try await authority.signOut()
        #expect(try await authority.signedIn() == nil)
        #expect(ports.with { $0.signIn } == nil)
        _ = try await authority.signIn("c1", pin: "1234")
        ports.copy.with { $0.pins["c1"] = "5555" }
        #expect(try await authority.signedIn() == nil)
        _ = try await authority.signIn("c1", pin: "5555")
        ports.copy.with { _ = $0.managers.insert("c1") }
        #expect(try await authority.signedIn()?.signIn.cashier.role == .manager)
        ports.copy.with { $0.pins["c1"] = nil }
        #expect(try await authority.signedIn() == nil)
    }

    @Test("is another for one command by id and PIN, which leaves who is signed in alone")
    func oneCommand() async throws {
        let authority = try ports.checkout().authority
        _ = try await authority.signIn("c1", pin: "1234")
        #expect(try await authority.authorize(claim("c2", "4321")).cashierId == "c2")
        #expect(try await authority.signedIn()?.signIn.cashier.id == "c1")
        #expect(
            await refusal { () throws(AuthorityRefusal) in
                try await authority.authorize(claim("c2", "0000"))
            } == .wrongPIN(cashierId: "c2"))
    }

    @Test("needs an approver by the default of a store with a manager: for all but the manual switch")
    func standard() async throws {
        let authority = try ports.checkout().authority
        let li = claim("c1", "1234")
        for action in ApprovalAction.allCases {
            let refusal = await refusal { () throws(AuthorityRefusal) in
                try await authority.authorize(li, [action])
            }
            #expect(refusal == (action == .manualOffline ? nil : .approvalRequired(action, .nobody)))
            #expect(refusal?.details.action == (action == .manualOffline ? nil : action.rawValue))
            #expect(try await authority.authorize(claim("m1", "999999"), [action]).approverId == nil)
        }
        #expect(
            try await authority.authorize(approved(by: "m1", "999999", for: li), [.refund])
                == Authorization(cashierId: "c1", approverId: "m1"))
        ports.copy.with { $0.managers = [] }
        #expect(try await authority.authorize(li, ApprovalAction.allCases).approverId == nil)
    }

    @Test("follows the store's list, to which the terminal adds")
    func listed() async throws {
        let authority = try ports.checkout(listing: [.void], adding: [.manualOffline]).authority
        let li = claim("c1", "1234")
        #expect(try await authority.authorize(li, [.refund, .discount]).approverId == nil)
        for action in [ApprovalAction.void, .manualOffline] {
            #expect(
                await refusal { () throws(AuthorityRefusal) in
                    try await authority.authorize(li, [.refund, action])
                } == .approvalRequired(action, .nobody))
        }
    }

    @Test("takes no approval of themselves, of another cashier, without a PIN or with a wrong one")
    func wrongApprovers() async throws {
        let authority = try ports.checkout().authority
        let li = claim("c1", "1234")
        let expected: [(String, String?, AuthorityRefusal)] = [
            ("c1", "1234", .approvalRequired(.void, .samePerson)),
            ("c2", "4321", .approvalRequired(.void, .noManager("c2"))),
            ("", "1", .approvalRequired(.void, .nobody)), ("m1", nil, .pinRequired(personId: "m1")),
            ("m1", "1", .wrongPIN(cashierId: "m1")),
        ]
        for (id, pin, refusal) in expected {
            #expect(
                await self.refusal { () throws(AuthorityRefusal) in
                    try await authority.authorize(approved(by: id, pin, for: li), [.void])
                } == refusal)
        }
        // An approver's wrong PINs count as anybody's.
        for _ in 0..<4 {
            _ = await refusal { () throws(AuthorityRefusal) in
                try await authority.authorize(approved(by: "m1", "1", for: li), [.void])
            }
        }
        #expect(
            await refusal { () throws(AuthorityRefusal) in
                try await authority.authorize(approved(by: "m1", "999999", for: li), [.void])
            } == .pinLocked(cashierId: "m1", milliseconds: 60_000))
        #expect(
            try await authority.authorize(approved(by: "m2", "888888", for: li), [.void]).approverId == "m2")
    }

    @Test("may give a discount up to the limit, and no other price, without an approver")
    func sales() async throws {
        let checkout = try ports.checkout()
        func request(price: Int64? = nil, discount: Int64? = nil, approver: Bool = false) -> SaleRequest {
            SaleRequest(
                lines: [
                    .init(
                        barcode: "4006381333931", quantityMilli: 8000, unitPriceMinor: price,
                        discountMinor: discount)
                ], cashierId: "c1", pin: "1234", approver: approver ? .init(id: "m1", pin: "999999") : nil)
        }
        func sold(_ request: SaleRequest) async -> Result<SaleContent, SaleRefusal> {
            do throws(SaleRefusal) {
                return .success(try await checkout.sell(request).sale.content)
            } catch {
                return .failure(error)
            }
        }
        // Eight at 125 come to 1000.
        #expect(try await sold(request(price: 125, discount: 100)).get().approverId == nil)
        #expect(
            await sold(request(discount: 101)) == .failure(.authority(.approvalRequired(.discount, .nobody))))
        #expect(try await sold(request(discount: 101, approver: true)).get().approverId == "m1")
        for price in [124, 126] {
            #expect(
                await sold(request(price: Int64(price)))
                    == .failure(.authority(.approvalRequired(.priceOverride, .nobody))))
        }
        let content = try await sold(request(price: 1, approver: true)).get()
        #expect(content.approverId == "m1" && content.cashierId == "c1")
        #expect(content.lines.first?.listPrice == 125)
        #expect(try await sold(request(approver: true)).get().approverId == nil)
    }
}
