internal import Base
internal import Crypto
internal import Foundation
internal import HubProtocol

/// A till that is nothing but its journal: it enrols and mints batches of sales as fast as it can.
final class ScriptedTill {
    let address: String
    @Secret private var token: String
    @Secret private var key: Curve25519.Signing.PrivateKey
    private let terminalId: String
    /// Of the store, as order numbers have it.
    let terminalNumber: Int64
    private(set) var sequence: Int64 = 0
    private var lastHash = Mutation.genesisHash

    /// - Parameter device: another number is another device; a hub takes one that enrols again for the
    ///   terminal that it was.
    init(enrolledAt address: String, code: String, device: Int = 7) throws(BenchFailure) {
        self.address = address
        let seed = (0..<32).map { UInt8(truncatingIfNeeded: device >> ($0 % 4 * 8)) }
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else {
            throw .programFailed(name: "pos-bench", detail: "the key of device \(device)", lastErrors: "-")
        }
        self.key = key
        let response = try HubConnection(address).query(
            try Self.enrolment(of: key, code: code, device: device))
        let grant = try? JSONParser.parse(response.body)
        guard let token = grant?["token"]?.string, let id = grant?["terminalId"]?.string else {
            throw .programFailed(
                name: "pos-hub", detail: "it enrolled nobody: \(response.status)", lastErrors: "-")
        }
        self.token = token
        terminalId = id
        terminalNumber = grant?["terminalNumber"]?.integer ?? 1
    }

    /// The request by which the device with that private key enrols.
    private static func enrolment(
        of key: Curve25519.Signing.PrivateKey, code: String, device: Int
    ) throws(BenchFailure) -> [UInt8] {
        do {
            let body = EnrolmentRequest(
                enrolmentCode: code, name: "bench",
                publicKey: key.publicKey.rawRepresentation.base64EncodedString()
            ).json.canonicalBytes
            let date = Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
            let signed = SignedRequest.signedBytes(
                method: "POST", path: Routes.terminals, date: date, body: body, host: "hub")
            let signature = try key.signature(for: signed).base64EncodedString()
            return HubConnection.request(
                "POST", Routes.terminals,
                headers: [
                    "Content-Type: application/json", "\(HeaderNames.host): hub",
                    "\(HeaderNames.date): \(date)", "\(HeaderNames.signature): \(signature)",
                ], body: body)
        } catch {
            throw .programFailed(
                name: "pos-bench", detail: "the key of device \(device): \(error)", lastErrors: "-")
        }
    }

    var headers: [String] {
        ["Authorization: Bearer \(token)", "Pos-Schema: 1", "Content-Type: application/json"]
    }

    /// The next `count` sales as one push, with what a well terminal reports of itself when `withTelemetry`.
    func push(of count: Int, withTelemetry: Bool = false) -> [UInt8] {
        let report = withTelemetry ? "\"telemetry\":" + Self.telemetry + "," : ""
        let mutations = (0..<count).map { _ in String(decoding: sale().bytes, as: UTF8.self) }
        let body =
            "{\(report)\"epoch\":1,\"lowSequence\":\(sequence - Int64(count) + 1),\"mutations\":["
            + mutations.joined(separator: ",") + "]}"
        return HubConnection.request(
            "POST", "/v1/mutations/batch", headers: headers, body: Array(body.utf8))
    }

    /// A push that is as expensive for the hub as the contract allows: the largest batch, in which every
    /// entry names 20 earlier ones.
    func expensivePush(of count: Int) -> [UInt8] {
        let earlier = (0..<20).map { ulid(max(1, sequence - Int64($0))) }
        let mutations = (0..<count).map { _ in
            String(decoding: sale(dependsOn: earlier).bytes, as: UTF8.self)
        }
        let body = "{\"epoch\":1,\"mutations\":[" + mutations.joined(separator: ",") + "]}"
        return HubConnection.request(
            "POST", "/v1/mutations/batch", headers: headers, body: Array(body.utf8))
    }

    /// The next entries as one push, of other kinds than a well terminal's sales of one article.
    func push(_ count: Int, of kind: Kind) -> [UInt8] {
        let mutations = (0..<count).map { _ in String(decoding: entry(of: kind).bytes, as: UTF8.self) }
        let body = "{\"epoch\":1,\"mutations\":[" + mutations.joined(separator: ",") + "]}"
        return HubConnection.request(
            "POST", "/v1/mutations/batch", headers: headers, body: Array(body.utf8))
    }

    /// What an entry records.
    enum Kind {
        case sale(lines: Int)
        /// By the code of a receipt that the hub does not have.
        case refund
        case member
        /// A sale that says nothing.
        case broken
    }

    /// The code of a receipt of this terminal that the hub does not have.
    func receiptCode() -> String {
        ReceiptCode(
            terminalId: terminalId, orderNumber: "\(terminalId)-\(sequence)", soldAt: 1_800_000_000,
            currency: "CNY", total: 120,
            lines: [ReceiptCode.Line(barcode: "2000000000000", quantityMilli: 1_000, amount: 120)]
        ) { [key] in try? key.signature(for: $0).base64EncodedString() }?.text ?? ""
    }

    private func entry(of kind: Kind) -> SealedMutation {
        switch kind {
        case .sale(let lines): return sale(lines: lines)
        case .refund:
            let payload: JSONValue = [
                "receiptCode": .string(receiptCode()), "currency": "CNY", "total": 120,
                "lines": [["sku": "B1000", "barcode": "2000000000000", "quantityMilli": 1_000]],
            ]
            return seal("refund.completed", "refund", payload)
        case .member:
            return seal("member.created", "member", ["name": "Bench", "phone": .string("\(sequence)")])
        case .broken: return seal("order.completed", "order", [:])
        }
    }

    private static let telemetry: String = {
        let report = TelemetryReport(
            appVersion: "1.0", osVersion: "Debian 12", pending: 2, oldestAgeMilliseconds: 900, rejected: 0,
            conflicted: 0, attempts: 1_000, successes: 990, countedSince: "2026-11-21T00:00:00.000Z",
            conflicts: [], connectivity: [:],
            offlinePeriods: [
                [
                    "start": "2026-11-21T08:00:00.000Z", "end": "2026-11-21T08:10:00.000Z",
                    "causes": ["network"],
                ]
            ])
        return String(decoding: report.json.canonicalBytes, as: UTF8.self)
    }()

    private func sale(lines count: Int = 1, dependsOn: [String] = []) -> SealedMutation {
        let number = sequence + 1
        let price = 120 + number * 37 % 2_900
        let lines = (0..<count).map { place -> JSONValue in
            let sku = 1_000 + (Int(number) + place) % Baskets.articles
            return [
                "sku": .string("B\(sku)"), "barcode": "2000000000000", "name": "Article",
                "quantityMilli": 1_000, "unitPrice": .integer(price), "discount": 0,
                "total": .integer(price), "taxBasisPoints": 0,
            ]
        }
        let total = JSONValue.integer(price * Int64(count))
        let payload: JSONValue = [
            "orderId": .string(ulid(number)), "orderNumber": .string("\(terminalId)-\(number)"),
            "currency": "CNY", "taxIncluded": true, "lines": .array(lines), "total": total, "tax": 0,
            "change": 0, "payments": [["method": "cash", "amount": total]],
        ]
        return seal("order.completed", "order", payload, dependsOn: dependsOn)
    }

    /// The next entry of the journal; its id is the entity's, too.
    func seal(
        _ type: String, _ entity: String, _ payload: JSONValue, dependsOn: [String] = []
    ) -> SealedMutation {
        sequence += 1
        let id = ulid(sequence)
        let mutation = SealedMutation(
            id: id, sequence: sequence, type: type, entity: entity, entityId: id,
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: lastHash, dependsOn: dependsOn,
            payload: payload.canonicalBytes)
        lastHash = mutation.hash
        return mutation
    }

    /// Like a ULID: this terminal's own letters, then the sequence.
    func ulid(_ number: Int64) -> String {
        let digits = String(number, radix: 10)
        return "01" + terminalId.suffix(12) + String(repeating: "0", count: 12 - digits.count) + digits
    }
}
