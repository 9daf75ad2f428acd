import HubProtocol

internal import Foundation

/// Plays a payment terminal of nexo Retailer, from the protocol's side: it shares no code with the till.
actor NexoTerminal {
    /// What it does wrong, in payments and reversals alone: logins and queries stay as they are.
    enum Fault: String, CaseIterable {
        /// The connection is cut at step 1, when the request has arrived, or at 2, when it is done.
        case cut
        /// It says nothing more from that step on, and keeps the connection.
        case mute
        /// The card is declined by the bank.
        case decline
        /// It is busy with another till.
        case busy
        /// The shopper takes n seconds to find the card.
        case slow
        /// It authorises n hundredths more than was requested.
        case amount
        /// It gives back only half of what was requested, and says so.
        case partial
        /// It responds with its first response of all.
        case replay
        /// It says for n seconds that it does not know what it is at work with.
        case hidden
        /// It responds without encryption, whatever key it has.
        case plain
        /// Its bank does not respond, and it takes the card without it.
        case offline
        /// It prints the whole card number, and sends it, also with its second track.
        case wholeNumber
    }

    enum Outcome: Sendable {
        case silence, cut
        case body([UInt8])
    }

    /// What may differ of a machine.
    struct Nature: Sendable {
        var poiId = "S1F2-000611220400123"
        var seal: NexoSeal?
        var display: NexoDisplay?
        var fault: (kind: Fault, number: Int)?
    }

    private let nature: Nature
    private var ledger: NexoLedger
    private var running: (service: String, since: Date)?
    private var aborted: Set<String> = []

    init(_ nature: Nature, ledger: NexoLedger) { (self.nature, self.ledger) = (nature, ledger) }

    /// What it responds to the bytes of one request.
    func response(to bytes: [UInt8]) async -> Outcome {
        guard let outer = (try? JSONParser.parse(bytes))?["SaleToPOIRequest"] else { return .cut }
        var request = outer
        if let seal = nature.seal {
            guard let plain = seal.open(outer),
                let inner = (try? JSONParser.parse(plain))?["SaleToPOIRequest"]
            else { return .cut }
            request = inner
        }
        guard let header = request["MessageHeader"], let category = header["MessageCategory"]?.string,
            header["POIID"]?.string == nature.poiId, let service = header["ServiceID"]?.string,
            (1...10).contains(service.count), let sale = header["SaleID"]?.string,
            let content = request["\(category)Request"]
        else { return .cut }
        let response: JSONValue?
        switch category {
        case "Login", "Diagnosis": response = Self.success()
        case "TransactionStatus": response = status(content["MessageReference"])
        case "Abort":
            aborted.insert(content["MessageReference"]?["ServiceID"]?.string ?? "")
            return .body([])
        case "Reconciliation": response = reconcile()
        case "Payment", "Reversal":
            let isPayment = category == "Payment"
            if isFault(.cut, 1) { return .cut }
            if isFault(.mute, 1) { return .silence }
            response = isPayment ? await pay(content, service, sale) : reverse(content, service, sale)
            if isFault(.cut, 2) { return .cut }
            if isFault(.mute, 2) { return .silence }
        case _: response = Self.failure("MessageFormat")
        }
        return response.map { .body(envelope($0, header, category)) } ?? .silence
    }

    private func isFault(_ kind: Fault, _ step: Int) -> Bool {
        nature.fault?.kind == kind && nature.fault?.number == step
    }

    /// The bytes of a response.
    private func envelope(_ content: JSONValue, _ header: JSONValue, _ category: String) -> [UInt8] {
        var head = header.object ?? [:]
        head["MessageType"] = "Response"
        if nature.fault?.kind == .replay, category == "Payment", let first = ledger.entries.first {
            head["ServiceID"] = .string(first.service)
        }
        let response: JSONObject = ["MessageHeader": .object(head), "\(category)Response": content]
        let plain = (["SaleToPOIResponse": .object(response)] as JSONValue).canonicalBytes
        guard let seal = nature.seal, nature.fault?.kind != .plain, var sealed = try? seal.close(plain) else {
            return plain
        }
        sealed["MessageHeader"] = header
        return (["SaleToPOIResponse": .object(sealed)] as JSONValue).canonicalBytes
    }

    private func pay(_ content: JSONValue, _ service: String, _ sale: String) async -> JSONValue {
        let amounts = content["PaymentTransaction"]?["AmountsReq"]
        guard let requested = Self.number(amounts?["RequestedAmount"]), requested > 0,
            let currency = amounts?["Currency"]?.string,
            let key = content["SaleData"]?["SaleTransactionID"]?["TransactionID"]?.string
        else { return Self.failure("MessageFormat") }
        guard running == nil, nature.fault?.kind != .busy else { return Self.failure("Busy") }
        running = (service, Date())
        defer { running = nil }
        nature.display?.send("TENDER_CREATED", about: service, of: sale)
        await shopper(service)
        nature.display?.send("WAIT_FOR_PIN", about: service, of: sale)
        if aborted.contains(service) { return Self.failure("Aborted") }
        if nature.fault?.kind == .decline {
            return Self.failure("Refusal", "refusalReason=Not%20enough+balance")
        }
        let isRefund = content["PaymentData"]?["PaymentType"] == "Refund"
        let more = nature.fault?.kind == .amount ? Double(nature.fault?.number ?? 0) / 100 : 0
        let transaction = "T\(ledger.entries.count + 1).\(service)"
        let response = payment(requested + more, currency, key, transaction)
        ledger.note(
            NexoLedger.Entry(
                kind: isRefund ? .reversal : .sale, service: service, sale: sale, key: key,
                amount: requested + more,
                currency: currency, transaction: transaction, original: nil, response: response))
        return response
    }

    /// Until the card is there, or an abort.
    private func shopper(_ service: String) async {
        guard let fault = nature.fault, [.slow, .hidden].contains(fault.kind) else { return }
        for _ in 0..<(fault.number * 10) where !aborted.contains(service) {
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func reverse(_ content: JSONValue, _ service: String, _ sale: String) -> JSONValue {
        guard let amount = Self.number(content["ReversedAmount"]),
            let key = content["SaleData"]?["SaleTransactionID"]?["TransactionID"]?.string,
            let id = content["OriginalPOITransaction"]?["POITransactionID"]?["TransactionID"]?.string
        else { return Self.failure("MessageFormat") }
        guard nature.fault?.kind != .busy else { return Self.failure("Busy") }
        guard nature.fault?.kind != .decline, let original = ledger.sale(id),
            amount <= ledger.left(of: original) + 0.0001
        else { return Self.failure("NotAllowed") }
        let isPartial = nature.fault?.kind == .partial
        let response = reversal(amount, isPartial)
        ledger.note(
            NexoLedger.Entry(
                kind: .reversal, service: service, sale: sale, key: key,
                amount: isPartial ? amount / 2 : amount,
                currency: original.currency, transaction: "R\(ledger.entries.count + 1)", original: id,
                response: response))
        return response
    }

    private func status(_ reference: JSONValue?) -> JSONValue {
        let (service, sale) = (reference?["ServiceID"]?.string ?? "", reference?["SaleID"]?.string ?? "")
        if let running, running.service == service {
            return Self.failure(nature.fault?.kind == .hidden ? "NotFound" : "InProgress")
        }
        let isNewest = reference?["ServiceID"] == nil
        guard let entry = isNewest ? ledger.newest : ledger.entry(service, sale) else {
            return Self.failure("NotFound")
        }
        let category = entry.original == nil ? "Payment" : "Reversal"
        var content = Self.success().object ?? [:]
        content["MessageReference"] = reference
        content["RepeatedMessageResponse"] = [
            "MessageHeader": [
                "MessageCategory": .string(category), "ServiceID": .string(service), "SaleID": .string(sale),
                "POIID": .string(nature.poiId), "MessageType": "Response",
            ],
            "RepeatedResponseMessageBody": ["\(category)Response": entry.response],
        ]
        return .object(content)
    }

    private func reconcile() -> JSONValue {
        var content = Self.success().object ?? [:]
        func part(_ kind: String, _ amount: Double) -> JSONValue {
            ["TransactionType": .string(kind), "TransactionCount": 1, "TransactionAmount": .double(amount)]
        }
        content["TransactionTotals"] = [
            [
                "PaymentInstrumentType": "Card",
                "PaymentTotals": [
                    part("Debit", ledger.sum(.sale)), part("ReverseDebit", ledger.sum(.reversal)),
                ],
            ]
        ]
        ledger.close()
        return .object(content)
    }
}

/// The members of its responses.
extension NexoTerminal {
    static func number(_ json: JSONValue?) -> Double? {
        switch json {
        case .integer(let number): Double(number)
        case .double(let number): number
        case _: nil
        }
    }

    private static func success() -> JSONValue { ["Response": ["Result": "Success"]] }

    private static func failure(_ condition: String, _ more: String = "message=machine") -> JSONValue {
        [
            "Response": [
                "Result": "Failure", "ErrorCondition": .string(condition),
                "AdditionalResponse": .string(more),
            ]
        ]
    }

    private func reversal(_ amount: Double, _ isPartial: Bool) -> JSONValue {
        [
            "Response": ["Result": isPartial ? "Partial" : "Success"],
            "ReversedAmount": .double(isPartial ? amount / 2 : amount),
            "PaymentReceipt": [
                [
                    "DocumentQualifier": "CustomerReceipt",
                    "OutputContent": [
                        "OutputFormat": "Text", "OutputText": [["Text": "key=header&name=SIMULATED+REFUND"]],
                    ],
                ]
            ],
        ]
    }

    private func payment(
        _ amount: Double, _ currency: String, _ key: String, _ transaction: String
    ) -> JSONValue {
        let isOffline = nature.fault?.kind == .offline
        let number = nature.fault?.kind == .wholeNumber ? "4111111111111111" : "541333 **** 4111"
        let moment = "2026-11-25T14:05:32.114Z"
        let lines: [JSONValue] = [
            ["Text": "key=header&name=SIMULATED+TERMINAL"],
            ["Text": .string("key=pan&name=CARD&value=\(number.replacingOccurrences(of: " ", with: "+"))")],
            ["Text": .string("key=totalAmount&name=TOTAL&value=\(amount)")],
        ]
        return [
            "Response": [
                "Result": "Success", "AdditionalResponse": .string("tid=48211907&offline=\(isOffline)"),
            ],
            "POIData": [
                "POITransactionID": ["TransactionID": .string(transaction), "TimeStamp": .string(moment)]
            ],
            "SaleData": ["SaleTransactionID": ["TransactionID": .string(key)]],
            "PaymentResult": [
                "OnlineFlag": .bool(!isOffline),
                "AmountsResp": ["Currency": .string(currency), "AuthorizedAmount": .double(amount)],
                "PaymentAcquirerData": ["ApprovalCode": "771204"],
                "PaymentInstrumentData": [
                    "PaymentInstrumentType": "Card",
                    "CardData": [
                        "PaymentBrand": "mc", "MaskedPan": .string(number),
                        "TrackData": [["TrackNumb": 2, "TrackValue": .string("\(number)=2512")]],
                    ],
                ],
            ],
            "PaymentReceipt": [
                [
                    "DocumentQualifier": "CustomerReceipt",
                    "OutputContent": ["OutputFormat": "Text", "OutputText": .array(lines)],
                ]
            ],
        ]
    }
}
