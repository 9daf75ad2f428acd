import Base
import HubCore
import HubProtocol
import Testing

@testable import HubServer

@Suite("Secrets of the hub's services")
struct SecretTextTests {
    @Test("What a service holds of secrets stands in no text that is made of the service")
    func holders() {
        let key = HubKeyEntry(
            id: "k", kind: .signing, publicKey: "cHVibGlj", privateKey: "c2VjcmV0LWtleQ==", createdAt: 1,
            usableFrom: 1, notAfter: 2)
        let cashier = CashierEntry(id: "c", name: "Ana", pin: "739155", role: .cashier)
        let person = OperatorRecord(
            name: "vic", role: .manager, tokenDigest: "d", tokenExpiresAt: nil, loginCodeDigest: nil,
            passwordHash: "$scrypt$secret", addedAt: 1)
        var payment = GatewayPayment(
            PaymentAuthorization(
                key: "p", orderId: "o", state: .unknown, amount: 1, currency: "CNY", approvalCode: nil,
                declineReason: nil), terminalId: "t")
        payment.token = Array("card-token".utf8)
        let location = StoreLocation("postgresql://hub:pg-word@db/orders")
        let secrets = ["c2VjcmV0", "739155", "$scrypt$", "99, 97, 114, 100", "pg-word"]
        for holder in [key, cashier, person, payment, location as Any, HubSecret(bytes: [1, 2, 3])] as [Any] {
            var text = "\(holder)" + String(reflecting: holder)
            dump(holder, to: &text)
            for secret in secrets { #expect(!text.contains(secret), "\(text)") }
        }
    }
}
