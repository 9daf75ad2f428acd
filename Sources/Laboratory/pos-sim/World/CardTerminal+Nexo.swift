import Base
import CurlHTTP
import HubProtocol
import MachineRuntime

/// A terminal of nexo: requests and responses in JSON.
extension CardTerminal {
    /// Where the till reaches it.
    nonisolated static let url = "http://127.0.0.1:8443/nexo"
    static let poiId = "S1F2-000611220400123"

    struct NexoMemory {
        /// Its responses to payments and reversals, by the request's id, with their category.
        var responses: [String: (category: String, content: JSONValue)] = [:]
        /// The id of the payment that it is at work with.
        var running: String?
        var aborted: Set<String> = []
    }

    /// One request of the till, whose process may be gone before the response.
    func exchange(_ request: HTTPRequest) async -> HTTPExchange {
        let start = time.now()
        func end(_ result: Result<HTTPResponse, TransferFailure>, isConnected: Bool = true) -> HTTPExchange {
            HTTPExchange(
                result: result,
                timings: HTTPTimings(
                    startedAt: start, connectedAt: isConnected ? start : nil, finishedAt: time.now()))
        }
        guard !isCutOff, !acts(.machineDark) else { return end(.failure(.notConnected), isConnected: false) }
        await pause(.milliseconds(20))
        guard let message = try? JSONParser.parse(request.body ?? [])["SaleToPOIRequest"],
            let header = message["MessageHeader"], let category = header["MessageCategory"]?.string
        else { return end(.success(HTTPResponse(status: 400))) }
        let movesMoney = category == "Payment" || category == "Reversal"
        if movesMoney, acts(.machineMisses, oneIn: 2) { return end(.failure(.connectionBroken)) }
        // What it began it ends, whoever waits for it.
        let work = Task { await response(to: header, category, message["\(category)Request"]) }
        let content = await work.value
        if movesMoney, acts(.machineLoses, oneIn: 2) { return end(.failure(.connectionBroken)) }
        guard let content else {
            let isAbort = category == "Abort"
            return end(isAbort ? .success(HTTPResponse(status: 200)) : .failure(.connectionBroken))
        }
        var head = header.object ?? [:]
        head["MessageType"] = "Response"
        let body: JSONObject = ["MessageHeader": .object(head), "\(category)Response": content]
        return end(
            .success(
                HTTPResponse(
                    status: 200,
                    body: (["SaleToPOIResponse": .object(body)] as JSONValue).canonicalBytes)))
    }

    /// Nil: none.
    private func response(
        to header: JSONValue, _ category: String, _ content: JSONValue?
    ) async -> JSONValue? {
        let id = header["ServiceID"]?.string ?? ""
        let reference = content?["MessageReference"]
        switch category {
        case "Login": return Self.success
        case "Abort":
            nexo.aborted.insert(reference?["ServiceID"]?.string ?? "")
            return nil
        case "TransactionStatus": return status(of: reference?["ServiceID"]?.string ?? "", header, reference)
        case "Payment":
            guard !isRunning, !acts(.machineBusy) else { return Self.failure("Busy") }
            let mine = starts
            (isRunning, nexo.running) = (true, id)
            for _ in 0..<halfSeconds() where !nexo.aborted.contains(id) { await shop() }
            guard mine == starts else { return nil }
            (isRunning, nexo.running) = (false, nil)
            let response = pay(content, id)
            nexo.responses[id] = (category, response)
            return response
        case "Reversal":
            let response = reverse(content)
            nexo.responses[id] = (category, response)
            return response
        case _: return Self.failure("MessageFormat")
        }
    }

    private func pay(_ content: JSONValue?, _ id: String) -> JSONValue {
        guard let amount = Self.minor(content?["PaymentTransaction"]?["AmountsReq"]?["RequestedAmount"]),
            let key = content?["SaleData"]?["SaleTransactionID"]?["TransactionID"]?.string
        else { return Self.failure("MessageFormat") }
        if nexo.aborted.contains(id) { return Self.failure("Aborted") }
        if acts(.machineDeclines) { return Self.failure("Refusal") }
        if bookings.contains(where: { $0.key == key }) {
            world.fail("nothing is charged twice", "till \(till) charges \(key) again")
        }
        let approval = book(amount, key: key).approval
        return [
            "Response": ["Result": "Success"],
            "POIData": [
                "POITransactionID": [
                    "TransactionID": .string(approval), "TimeStamp": "2026-03-02T08:00:00.000Z",
                ]
            ],
            "SaleData": ["SaleTransactionID": ["TransactionID": .string(key)]],
            "PaymentResult": [
                "OnlineFlag": true,
                "AmountsResp": ["Currency": "CNY", "AuthorizedAmount": .double(Double(amount) / 100)],
                "PaymentAcquirerData": ["ApprovalCode": .string(approval)],
                "PaymentInstrumentData": [
                    "CardData": ["PaymentBrand": "VISA", "MaskedPan": .string(Self.cardNumber)]
                ],
            ],
            "PaymentReceipt": [
                [
                    "DocumentQualifier": "CustomerReceipt",
                    "OutputContent": [
                        "OutputFormat": "Text",
                        "OutputText": [["Text": .string("Card \(Self.cardNumber)")]],
                    ],
                ]
            ],
        ]
    }

    private func reverse(_ content: JSONValue?) -> JSONValue {
        let original = content?["OriginalPOITransaction"]?["POITransactionID"]?["TransactionID"]?.string
        guard let amount = Self.minor(content?["ReversedAmount"]),
            let place = bookings.firstIndex(where: { $0.approval == original })
        else { return Self.failure("NotAllowed") }
        giveBack(amount, of: place)
        return Self.success
    }

    private func status(of id: String, _ header: JSONValue, _ reference: JSONValue?) -> JSONValue {
        if isRunning, nexo.running == id { return Self.failure("InProgress") }
        guard let known = nexo.responses[id] else { return Self.failure("NotFound") }
        return [
            "Response": ["Result": "Success"], "MessageReference": reference ?? .null,
            "RepeatedMessageResponse": [
                "MessageHeader": [
                    "MessageCategory": .string(known.category), "ServiceID": .string(id),
                    "SaleID": header["SaleID"] ?? .null, "POIID": .string(Self.poiId),
                    "MessageType": "Response",
                ],
                "RepeatedResponseMessageBody": ["\(known.category)Response": known.content],
            ],
        ]
    }

    private static let success: JSONValue = ["Response": ["Result": "Success"]]

    private static func failure(_ condition: String) -> JSONValue {
        ["Response": ["Result": "Failure", "ErrorCondition": .string(condition)]]
    }

    /// Whole units of the currency in its smallest ones.
    private static func minor(_ json: JSONValue?) -> Int64? {
        switch json {
        case .integer(let number): number * 100
        case .double(let number): Int64((number * 100).rounded())
        case _: nil
        }
    }
}
