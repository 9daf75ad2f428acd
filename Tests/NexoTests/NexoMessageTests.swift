import Foundation
import HubProtocol
import Testing

@testable import Nexo

@Suite("Requests and responses of nexo")
struct NexoMessageTests {
    static let order = NexoOrder(
        key: "01KB0Q4T9ZC6M5V8R2N3W7XYAD", amount: 2347, currency: "EUR", moment: "2026-11-25T14:05:11.000Z")

    static func header(
        _ category: NexoHeader.Category, _ serviceId: String = "q7Hd02kXbA"
    ) -> NexoHeader {
        NexoHeader(category, serviceId: serviceId, saleId: "till-7", poiId: "S1F2-000611220400123")
    }

    /// A response whose members can be changed.
    static func response(
        _ category: NexoHeader.Category, _ content: JSONValue, changing changes: [String: JSONValue] = [:]
    ) -> JSONValue {
        var header: JSONObject = [
            "MessageType": "Response", "MessageCategory": .string(category.rawValue),
            "ServiceID": "q7Hd02kXbA", "SaleID": "till-7", "POIID": "S1F2-000611220400123",
        ]
        for (member, value) in changes { header[member] = value }
        return [
            "SaleToPOIResponse": [
                "MessageHeader": .object(header), "\(category.rawValue)Response": content,
            ]
        ]
    }

    static func payment(
        amount: String = "23.47", key: String = order.key, more: JSONObject = [:]
    ) throws -> JSONValue {
        var result: JSONObject = [
            "AmountsResp": ["Currency": "EUR", "AuthorizedAmount": try JSONParser.parse(amount.utf8)],
            "PaymentAcquirerData": ["ApprovalCode": "771204"], "OnlineFlag": true,
            "PaymentInstrumentData": [
                "CardData": ["PaymentBrand": "mc", "MaskedPan": "541333 **** 4111"]
            ],
        ]
        for (member, value) in more { result[member] = value }
        return [
            "Response": ["Result": "Success", "AdditionalResponse": "tid=48211907&offline=false"],
            "POIData": [
                "POITransactionID": ["TransactionID": "Kx2b.QF7N", "TimeStamp": "2026-11-25T14:05:32.114Z"]
            ],
            "SaleData": ["SaleTransactionID": ["TransactionID": .string(key)]],
            "PaymentResult": .object(result),
            "PaymentReceipt": [
                [
                    "DocumentQualifier": "CustomerReceipt",
                    "OutputContent": [
                        "OutputText": [
                            ["Text": "key=totalAmount&name=TOTAL&value=%E2%82%AC+23.47"],
                            ["Text": "name=CARD&value=4111111111111111"], ["Text": "key=filler"],
                        ]
                    ],
                ]
            ],
        ]
    }

    private func outcome(_ content: JSONValue, isReversal: Bool = false) throws -> NexoOutcome {
        let category: NexoHeader.Category = isReversal ? .reversal : .payment
        let reply = try #require(
            NexoReply(
                Self.response(category, content).canonicalBytes, to: Self.header(category), sealedBy: nil))
        return reply.outcome(of: Self.order, isReversal: isReversal)
    }

    @Test("A payment names the till's key, its amount in whole units, and the ids of the message")
    func request() throws {
        let bytes = try #require(NexoRequest.payment(Self.order).message(Self.header(.payment)))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"SaleToPOIRequest":{"MessageHeader":{"MessageCategory":"Payment","MessageClass":"Service","#
                + #""MessageType":"Request","POIID":"S1F2-000611220400123","ProtocolVersion":"3.0","#
                + #""SaleID":"till-7","ServiceID":"q7Hd02kXbA"},"PaymentRequest":{"PaymentData":{"#
                + #""PaymentType":"Normal"},"PaymentTransaction":{"AmountsReq":{"Currency":"EUR","#
                + #""RequestedAmount":23.47}},"SaleData":{"SaleTransactionID":{"TimeStamp":"#
                + #""2026-11-25T14:05:11.000Z","TransactionID":"01KB0Q4T9ZC6M5V8R2N3W7XYAD"}}}}}"#)
    }

    @Test(
        "Amounts are exact in every currency, or none",
        arguments: [
            (2347, "EUR", "23.47"), (1250, "JPY", "1250"), (1250, "KWD", "1.25"), (5, "EUR", "0.05"),
            (100, "EUR", "1"), (999_999_999_999_999, "EUR", "9999999999999.99"),
        ] as [(Int64, String, String)])
    func amounts(amount: Int64, currency: String, text: String) throws {
        let json = try #require(NexoAmount.json(amount, currency: currency))
        #expect(json.canonicalText == text)
        #expect(NexoAmount.amount(try JSONParser.parse(text.utf8), currency: currency) == amount)
    }

    @Test(
        "What is no amount of the currency is none",
        arguments: [
            "23.471", "\"23.47\"", "0.001", "1e300", "-9223372036854775808", "9223372036854775807", "{}",
        ])
    func noAmount(text: String) throws {
        #expect(NexoAmount.amount(try JSONParser.parse(text.utf8), currency: "EUR") == nil)
        #expect(NexoAmount.json(.max, currency: "EUR") == nil)
    }

    @Test("A payment that is ours in every part is done, with what a refund needs and no card number")
    func done() throws {
        guard case .done(let payment) = try outcome(try Self.payment()) else {
            Issue.record("not done")
            return
        }
        #expect(payment.transaction.reference == "Kx2b.QF7N@2026-11-25T14:05:32.114Z")
        #expect(NexoTransaction(reference: payment.transaction.reference) == payment.transaction)
        #expect((payment.approvalCode, payment.brand, payment.last4) == ("771204", "mc", "4111"))
        #expect(!payment.isOffline && payment.merchantPaper == [])
        #expect(payment.customerPaper.first == "TOTAL € 23.47" && payment.customerPaper.count == 3)
        #expect(payment.customerPaper.allSatisfy { !$0.contains("4111111111111111") })
        guard case .done(let offline) = try outcome(try Self.payment(more: ["OnlineFlag": false])) else {
            Issue.record("not done")
            return
        }
        #expect(offline.isOffline)
    }

    @Test("Another amount, another payment, and a success without a transaction prove nothing")
    func otherPayment() throws {
        var without = try #require(try Self.payment().object)
        without["POIData"] = nil
        let contents: [JSONValue] = [
            try Self.payment(amount: "23.48"), try Self.payment(amount: "\"23.47\""),
            try Self.payment(key: "01KB0Q4T9ZC6M5V8R2N3W7XYAE"), .object(without),
            try Self.payment(more: ["AmountsResp": ["Currency": "USD", "AuthorizedAmount": .double(23.47)]]),
            try Self.payment(more: ["AmountsResp": ["AuthorizedAmount": .double(23.47)]]),
            ["Response": ["Result": "Partial"]],
        ]
        for content in contents {
            guard case .unknown = try outcome(content) else {
                Issue.record("\(content)")
                continue
            }
        }
    }

    @Test(
        "A failure is a decline, a machine that is busy, or proves nothing",
        arguments: [
            ("Refusal", NexoOutcome.declined(reason: "Not enough balance")), ("Busy", .busy),
            ("InProgress", .unknown(detail: "the machine's response proves nothing")),
            ("Brandnew", .unknown(detail: "the machine's response proves nothing")),
            ("Aborted", .declined(reason: "Not enough balance")),
            ("UnreachableHost", .unavailable(reason: "Not enough balance")),
            ("NotFound", .unknown(detail: "the machine's response proves nothing")),
        ])
    func failure(condition: String, expected: NexoOutcome) throws {
        let content: JSONValue = [
            "Response": [
                "Result": "Failure", "ErrorCondition": .string(condition),
                "AdditionalResponse": "refusalReason=Not%20enough+balance",
            ]
        ]
        #expect(try outcome(content) == expected)
    }

    @Test("Papers of both kinds are read up to their limits, and nothing else becomes a card's last digits")
    func papers() throws {
        func paper(_ kind: String, _ lines: Int) -> JSONValue {
            let texts = (0..<lines).map { JSONValue.object(["Text": .string("name=LINE&value=\($0)")]) }
            return ["DocumentQualifier": .string(kind), "OutputContent": ["OutputText": .array(texts)]]
        }
        var content = try #require(
            try Self.payment(more: [
                "PaymentAcquirerData": ["ApprovalCode": "4111111111111111"],
                "PaymentInstrumentData": ["CardData": ["MaskedPan": "541333 **** ****"]],
            ]).object)
        content["PaymentReceipt"] = [paper("CustomerReceipt", 2), paper("CashierReceipt", 1_000)]
        guard case .done(let payment) = try outcome(.object(content)) else {
            return #expect(Bool(false), "not done")
        }
        #expect(payment.customerPaper == ["LINE 0", "LINE 1"] && payment.merchantPaper.count == 200)
        #expect(payment.last4 == nil && !payment.approvalCode.contains("4111111111111111"))
        // What stands behind an id in a reference begins with its last sign.
        content["POIData"] = ["POITransactionID": ["TransactionID": "x", "TimeStamp": "a@b"]]
        guard case .unknown = try outcome(.object(content)) else {
            return #expect(Bool(false), "a reference that is read otherwise than it was written")
        }
        let long = JSONValue.string(String(repeating: "x", count: NexoReply.longestBytes))
        content["SaleData"] = ["SaleTransactionID": ["TransactionID": long]]
        let bytes = Self.response(.payment, .object(content)).canonicalBytes
        #expect(NexoReply(bytes, to: Self.header(.payment), sealedBy: nil) == nil)
    }

    @Test("A machine of somebody else says the same in other forms")
    func otherForms() throws {
        var content = try #require(try Self.payment().object)
        func isDone(_ amount: String, _ ending: String = "") throws -> NexoPayment? {
            let text = Self.response(.payment, .object(content)).canonicalText
                .replacingOccurrences(of: "23.47", with: amount)
            let order = NexoOrder(key: Self.order.key, amount: 2350, currency: "EUR", moment: "")
            let reply = NexoReply(Array((text + ending).utf8), to: Self.header(.payment), sealedBy: nil)
            guard case .done(let payment)? = reply?.outcome(of: order, isReversal: false) else { return nil }
            return payment
        }
        for amount in ["23.5", "23.50", "2350e-2", "2.35E1"] {
            #expect(try isDone(amount) != nil, "\(amount)")
        }
        #expect(try isDone("23.5", "\r\n") != nil)
        // One id in ten has numbers inside that could be a card's; a card's number alone is no id.
        let moment: JSONValue = "2026-11-25T14:05:32.114Z"
        for (id, isId) in [("oLkO.4111111111111111", true), ("4111111111111111", false)] {
            content["POIData"] = ["POITransactionID": ["TransactionID": .string(id), "TimeStamp": moment]]
            #expect(try (isDone("23.5") != nil) == isId, "\(id)")
        }
        content = try #require(try Self.payment().object)
        content["PaymentReceipt"] = nil
        let more = #"{"additionalData":{"offline":"true"},"store":7}"#
        content["Response"] = [
            "Result": "Success", "AdditionalResponse": .string(Data(more.utf8).base64EncodedString()),
        ]
        #expect(try isDone("23.5")?.isOffline == true)
        content["Response"] = ["Result": "Success"]
        #expect(try isDone("23.5")?.isOffline == false)
        let refusal = Data(#"{"refusalReason":"Not enough balance"}"#.utf8).base64EncodedString()
        let declined: JSONValue = [
            "Response": [
                "Result": "Failure", "ErrorCondition": "Refusal", "AdditionalResponse": .string(refusal),
            ]
        ]
        #expect(try outcome(declined) == .declined(reason: "Not enough balance"))
    }

    @Test("A reversal that succeeded was received, and no more; another amount is a person's")
    func reversal() throws {
        func outcome(_ result: String, _ more: JSONObject = [:]) throws -> NexoOutcome {
            var content = more
            content["Response"] = ["Result": .string(result)]
            return try self.outcome(.object(content), isReversal: true)
        }
        guard case .accepted = try outcome("Success"),
            case .accepted(let payment) = try outcome(
                "Success",
                [
                    "ReversedAmount": .double(23.47),
                    "PaymentReceipt": [
                        [
                            "DocumentQualifier": "CustomerReceipt",
                            "OutputContent": ["OutputText": [["Text": "name=REFUND"]]],
                        ]
                    ],
                ])
        else {
            Issue.record("not accepted")
            return
        }
        #expect(payment.customerPaper == ["REFUND"])
        let unknown = NexoOutcome.unknown(detail: "the machine did it with another amount")
        #expect(try outcome("Success", ["ReversedAmount": .double(23.46)]) == unknown)
        #expect(try outcome("Partial", ["ReversedAmount": .double(10.0)]) == unknown)
    }

    private static func notification(
        _ category: String, _ content: JSONObject, changing changes: JSONObject = [:]
    ) -> JSONValue {
        let header: JSONObject = [
            "MessageCategory": .string(category),
            "MessageType": category == "Event" ? "Notification" : "Request",
            "ServiceID": "q7Hd02kXbA", "SaleID": "till-7", "POIID": "S1F2-000611220400123",
            "DeviceID": "D1",
        ]
        let message: JSONObject = ["MessageHeader": .object(header.merging(changes) { $1 })]
        return ["SaleToPOIRequest": .object(message.merging(content) { $1 })]
    }

    private static func shown(_ event: String) -> JSONObject {
        let content: JSONValue = ["PredefinedContent": ["ReferenceID": .string("x=1&event=\(event)")]]
        return ["DisplayRequest": ["DisplayOutput": [["OutputContent": content]]]]
    }

    @Test("What the shopper has to do is shown, input is not supported, and neither decides anything")
    func notifications() throws {
        let open = Self.header(.payment)
        func read(_ json: JSONValue, _ cipher: NexoCipher? = nil) -> NexoNotification? {
            NexoNotification(json.canonicalBytes, about: open, sealedBy: cipher)
        }
        let pin = try #require(read(Self.notification("Display", Self.shown("WAIT_FOR_PIN"))))
        #expect(pin.progress == .enterPIN)
        let nonce = [UInt8](repeating: 7, count: 16)
        let response = try JSONParser.parse(
            try #require(pin.response(sealedBy: nil, nonce: nonce)))["SaleToPOIResponse"]
        #expect(response?["MessageHeader"]?["DeviceID"] == "D1")
        #expect(response?["MessageHeader"]?["MessageType"] == "Response")
        #expect("\(try #require(response?["DisplayResponse"]))".contains("Success"))
        let input = try #require(read(Self.notification("Input", ["InputRequest": [:]])))
        let refusal = try #require(input.response(sealedBy: nil, nonce: nonce))
        #expect(String(decoding: refusal, as: UTF8.self).contains("NotAllowed"))
        #expect(input.progress == nil)
        let event = try #require(read(Self.notification("Event", ["EventNotification": [:]])))
        #expect(event.response(sealedBy: nil, nonce: nonce) == nil)
        #expect(read(Self.notification("Display", Self.shown("ANYTHING")))?.progress == nil)
        for change in [["ServiceID": "other"], ["SaleID": "till-8"], ["POIID": "S1F2-1"]] as [JSONObject] {
            #expect(read(Self.notification("Display", Self.shown("WAIT_FOR_PIN"), changing: change)) == nil)
        }
        // A plain one counts for nothing where the machine has a key.
        let cipher = try #require(NexoCipher(passphrase: "p", identifier: "k", version: 1))
        let plain = Self.notification("Display", Self.shown("WAIT_FOR_PIN"))
        #expect(read(plain, cipher) == nil)
        let sealed = try #require(cipher.sealed(plain.canonicalBytes, nonce: nonce))
        #expect(read(["SaleToPOIRequest": .object(sealed)], cipher)?.progress == .enterPIN)
        let long = Self.shown(String(repeating: "x", count: NexoNotification.longestBytes))
        #expect(read(Self.notification("Display", long)) == nil)
    }

    @Test(
        "A response to anybody else's request, or to an old one, is none",
        arguments: [
            ["ServiceID": "q7Hd02kXbB"], ["SaleID": "till-8"], ["POIID": "S1F2-000611220400124"],
            ["MessageType": "Request"], ["MessageCategory": "Reversal"],
        ] as [[String: JSONValue]])
    func foreign(changes: [String: JSONValue]) throws {
        let bytes = Self.response(.payment, try Self.payment(), changing: changes).canonicalBytes
        #expect(NexoReply(bytes, to: Self.header(.payment), sealedBy: nil) == nil)
    }

    @Test("With a key a plain response is refused, and the ids count that are inside a sealed one")
    func sealed() throws {
        let cipher = try #require(NexoCipher(passphrase: "p", identifier: "k", version: 1))
        let plain = Self.response(.payment, try Self.payment()).canonicalBytes
        let old = Self.response(.payment, try Self.payment(), changing: ["ServiceID": "old"]).canonicalBytes
        func envelope(_ message: [UInt8]) throws -> [UInt8] {
            var outer = try #require(cipher.sealed(message, nonce: Array(repeating: 7, count: 16)))
            outer["MessageHeader"] = Self.response(.payment, [:])["SaleToPOIResponse"]?["MessageHeader"]
            return (["SaleToPOIResponse": .object(outer)] as JSONValue).canonicalBytes
        }
        #expect(NexoReply(plain, to: Self.header(.payment), sealedBy: cipher) == nil)
        #expect(NexoReply(try envelope(plain), to: Self.header(.payment), sealedBy: cipher) != nil)
        #expect(NexoReply(try envelope(plain), to: Self.header(.payment), sealedBy: nil) == nil)
        #expect(NexoReply(try envelope(old), to: Self.header(.payment), sealedBy: cipher) == nil)
    }

    @Test("A status repeats the response to the request that it names, and no other")
    func status() throws {
        let own = "S1F2-000611220400123"
        func reply(
            _ serviceId: String, of till: String = "till-7", at machine: String = own
        ) throws -> NexoReply? {
            let content: JSONValue = [
                "Response": ["Result": "Success"],
                "RepeatedMessageResponse": [
                    "MessageHeader": [
                        "ServiceID": .string(serviceId), "SaleID": .string(till), "POIID": .string(machine),
                    ],
                    "RepeatedResponseMessageBody": [
                        "PaymentResponse": [
                            "Response": ["Result": "Failure", "ErrorCondition": "Refusal"]
                        ]
                    ],
                ],
            ]
            let status = try #require(
                NexoReply(
                    Self.response(.status, content).canonicalBytes, to: Self.header(.status), sealedBy: nil))
            return status.repeated(
                .payment, serviceId: "paid000001", saleId: "till-7", poiId: own)
        }
        #expect(
            try reply("paid000001")?.outcome(of: Self.order, isReversal: false)
                == .declined(reason: "declined by the bank"))
        #expect(try reply("paid000002") == nil)
        #expect(try reply("paid000001", of: "till-8") == nil)
        #expect(try reply("paid000001", at: "S1F2-000611220400124") == nil)
    }

    @Test("The machine's end of day is what was charged less what went back")
    func totals() throws {
        func part(_ kind: String, _ amount: JSONValue) -> JSONValue {
            ["TransactionType": .string(kind), "TransactionCount": 1, "TransactionAmount": amount]
        }
        func total(_ parts: JSONValue...) throws -> Int64? {
            let content: JSONValue = [
                "Response": ["Result": "Success"],
                "TransactionTotals": [["PaymentTotals": .array(parts)]],
            ]
            return NexoReply(
                Self.response(.reconciliation, content).canonicalBytes, to: Self.header(.reconciliation),
                sealedBy: nil)?.total(currency: "EUR")
        }
        #expect(try total(part("Debit", 30), part("Credit", 5), part("ReverseDebit", 1)) == 2400)
        #expect(try total(part("Debit", 30), part("Declined", 7), part("Failed", 9)) == 3000)
        #expect(try total(part("Debit", 30), part("Brandnew", 5)) == nil)
        #expect(try total(part("Debit", "30")) == nil)
    }

    @Test("Ids of requests are ten letters and digits, and differ")
    func ids() {
        let ids = (0..<1000).map { _ in NexoHeader.serviceId(from: SystemRandomNumberGenerator()) }
        #expect(Set(ids).count == 1000)
        #expect(ids.allSatisfy { $0.utf8.count == 10 && $0.allSatisfy { $0.isLetter || $0.isNumber } })
    }
}
