import HubProtocol
import TestKit

/// A request and the response of the hub.
struct FrontExchange {
    let request: HubFront.Request
    let answer: LoopbackAnswer

    var status: Int { answer.status }

    /// One line, to be compared with the contract.
    var json: JSONValue {
        [
            "method": .string(request.method), "target": .string(request.target),
            "status": .integer(Int64(status)),
            "requestBody": (try? JSONParser.parse(request.body.utf8)) ?? .null,
            "headers": .object(JSONObject(answer.headers.mapValues(JSONValue.string))),
            "body": .string(answer.text),
        ]
    }
}
