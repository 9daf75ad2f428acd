import HubProtocol
import TestKit

/// A request and the response of the hub.
struct FrontExchange {
    let request: HubFront.Request
    let response: LoopbackResponse

    var status: Int { response.status }

    /// One line, to be compared with the contract.
    var json: JSONValue {
        [
            "method": .string(request.method), "target": .string(request.target),
            "status": .integer(Int64(status)),
            "requestBody": (try? JSONParser.parse(request.body.utf8)) ?? .null,
            "headers": .object(JSONObject(response.headers.mapValues(JSONValue.string))),
            "body": .string(response.text),
        ]
    }
}
