import Foundation
import HubProtocol
import TestKit
import Testing

/// Each text that `docs/openapi.yaml` has in a request's body, written by whoever may send it.
@Suite(
    "The texts of docs/openapi.yaml and the built hub", .onStage,
    .enabled(if: ContractTools.isAvailable, "\(ContractTools.obstacle)"))
struct SchemaTextTests {
    /// A text of the document: where it stands in an example that fits its schema.
    private struct Place {
        let method: String
        let path: String
        let body: JSONValue
        let steps: [JSONValue]
        let member: String
        /// Nil for a text that its pattern bounds.
        let most: Int?

        init(json: JSONValue) throws {
            method = try json.requiredString("method")
            path = try json.requiredString("path").replacingOccurrences(of: "{service}", with: "order")
                .replacingOccurrences(of: "{id}", with: "x")
            body = json["body"] ?? .null
            steps = try json.requiredArray("place")
            member = try json.requiredString("member")
            most = json["maxBytes"]?.integer.map(Int.init)
        }

        var isFact: Bool { path == Routes.mutation && steps.first == "payload" }

        func written(_ text: String) -> JSONValue { Self.written(text, at: steps[...], in: body) }

        private static func written(
            _ text: String, at steps: ArraySlice<JSONValue>, in value: JSONValue
        ) -> JSONValue {
            guard let step = steps.first else { return .string(text) }
            if let index = step.integer {
                var elements = value.array ?? []
                let changed = written(text, at: steps.dropFirst(), in: elements.first ?? .null)
                if elements.isEmpty { elements = [changed] } else { elements[Int(index)] = changed }
                return .array(elements)
            }
            var members = value.object ?? JSONObject()
            let name = step.string ?? ""
            members[name] = written(text, at: steps.dropFirst(), in: members[name] ?? .null)
            return .object(members)
        }
    }

    private func places(_ folder: TemporaryFolder) throws -> [Place] {
        let listed = try ContractTools.run(
            "python", [ContractTools.folder + "/validate.py", ContractTools.document, "texts"],
            in: folder.path("."))
        try #require(listed.exitCode == 0, "\(listed.text)")
        return try listed.text.split(separator: "\n").map {
            try Place(json: try JSONParser.parse(Array($0.utf8)))
        }
    }

    /// The counter of the order numbers, so that none is a repetition.
    private final class Counter {
        var last = 0
    }

    private func send(
        _ text: String, as place: Place, _ till: inout TillOverHTTP, _ client: LoopbackClient,
        operatorToken: String, _ counter: Counter
    ) throws -> LoopbackResponse {
        let body = place.written(text)
        if place.isFact {
            counter.last += 1
            var payload = body["payload"]?.object ?? JSONObject()
            for (name, value) in [("orderId", TillOverHTTP.ulid()), ("orderNumber", "N-\(counter.last)")]
            where place.member != name {
                payload[name] = .string(value)
            }
            let mutation = till.minted("order.completed", TillOverHTTP.ulid(), .object(payload))
            return try till.push(mutation, on: client)
        }
        let isOperators = ["/v1/qos/services", "/v1/alarms", "/v1/debts", "/v1/refusals"].contains {
            place.path.hasPrefix($0)
        }
        let headers = isOperators ? ["Authorization": "Bearer \(operatorToken)"] : till.headers
        return try client.request(
            place.method, place.path,
            headers: headers.merging([HeaderNames.idempotencyKey: "\"\(TillOverHTTP.ulid())\""]) { $1 },
            body: body.canonicalText)
    }

    @Test("Past its bound each is refused, or kept and flagged where it is a fact")
    func bounds() throws {
        let hub = try HubUnderTest(["--payments", "simulator"])
        let token = try #require(try hub.json("operator", "add", "vic", "--role", "manager")["token"]?.string)
        let client = try hub.client(timeout: 30)
        let places = try places(hub.folder)
        #expect(places.count > 50)
        let counter = Counter()
        for place in places {
            let name = "\(place.method) \(place.path) \(place.steps)"
            if let most = place.most {
                #expect(most <= TextBound.bytes(of: place.member), "\(name)")
            }
            // A refusal of the whole journal must not end what the next texts are tried by.
            var till = try hub.enrol()
            let past = place.most.map { [String(repeating: "x", count: $0 + 1)] } ?? []
            for text in past + HostileTexts.all {
                let response = try send(
                    text, as: place, &till, client, operatorToken: token, counter)
                let isRefused = (400..<500).contains(response.status)
                let isFlagged =
                    try response.json()["flags"]?.array?.contains("text_too_long") == true
                let isLong = past.contains(text) || text == HostileTexts.long
                #expect(
                    isRefused || response.status < 300 && (!isLong || place.isFact && isFlagged),
                    "\(name) \(text.prefix(20)): \(response.status) \(response.text.prefix(300))")
                #expect(response.body.count < 8_192, "\(name): \(response.body.count)")
            }
        }
    }
}
