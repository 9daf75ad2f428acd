internal import Base
internal import Crypto
internal import Foundation
internal import HubProtocol

/// A till that is nothing but its journal: it enrols and mints batches of sales as fast as it can.
final class ScriptedTill {
    let address: String
    @Secret private var token: String
    private let terminalId: String
    private var sequence: Int64 = 0
    private var lastHash = Mutation.genesisHash

    /// - Parameter device: another number is another device; a hub takes one that enrols again for the
    ///   terminal that it was.
    init(enrolledAt address: String, code: String, device: Int = 7) throws(BenchFailure) {
        self.address = address
        let seed = (0..<32).map { UInt8(truncatingIfNeeded: device >> ($0 % 4 * 8)) }
        let response = try HubConnection(address).query(
            try Self.enrolment(of: Data(seed), code: code, device: device))
        let grant = try? JSONParser.parse(response.body)
        guard let token = grant?["token"]?.string, let id = grant?["terminalId"]?.string else {
            throw .programFailed(
                name: "pos-hub", detail: "it enrolled nobody: \(response.status)", lastErrors: "-")
        }
        self.token = token
        terminalId = id
    }

    /// The request by which the device with that private key enrols.
    private static func enrolment(
        of seed: Data, code: String, device: Int
    ) throws(BenchFailure) -> [UInt8] {
        do {
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
            let wish = EnrolmentRequest(
                enrolmentCode: code, name: "bench",
                publicKey: key.publicKey.rawRepresentation.base64EncodedString()
            ).json.canonicalBytes
            let date = Timestamp.text(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
            let signed = SignedRequest.signedBytes(
                method: "POST", path: Routes.terminals, date: date, body: wish, host: "hub")
            let signature = try key.signature(for: signed).base64EncodedString()
            return HubConnection.request(
                "POST", Routes.terminals,
                headers: [
                    "Content-Type: application/json", "\(HeaderNames.host): hub",
                    "\(HeaderNames.date): \(date)", "\(HeaderNames.signature): \(signature)",
                ], body: wish)
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

    private func sale(dependsOn: [String] = []) -> SealedMutation {
        sequence += 1
        let id = ulid(sequence)
        let price = 120 + sequence * 37 % 2_900
        let sku = 1_000 + Int(sequence) % Baskets.articles
        let line: JSONValue = [
            "sku": .string("B\(sku)"), "barcode": "2000000000000", "name": "Article", "quantityMilli": 1_000,
            "unitPrice": .integer(price), "discount": 0, "total": .integer(price), "taxBasisPoints": 0,
        ]
        let payload: JSONValue = [
            "orderId": .string(id), "orderNumber": .string("\(terminalId)-\(sequence)"), "currency": "CNY",
            "taxIncluded": true, "lines": [line], "total": .integer(price), "tax": 0, "change": 0,
            "payments": [["method": "cash", "amount": .integer(price)]],
        ]
        let mutation = SealedMutation(
            id: id, sequence: sequence, type: "order.completed", entity: "order", entityId: id,
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: lastHash, dependsOn: dependsOn,
            payload: payload.canonicalBytes)
        lastHash = mutation.hash
        return mutation
    }

    /// Like a ULID: this terminal's own letters, then the sequence.
    private func ulid(_ number: Int64) -> String {
        let digits = String(number, radix: 10)
        return "01" + terminalId.suffix(12) + String(repeating: "0", count: 12 - digits.count) + digits
    }
}
