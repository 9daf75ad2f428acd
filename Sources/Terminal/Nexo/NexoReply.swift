import HubProtocol

internal import Foundation

/// A machine's response to the request that is open, as it may come from anybody on the shop's network.
package struct NexoReply: Hashable, Sendable {
    /// Bytes of a response; one with both receipts has some ten thousand.
    package static let longestBytes = 256 * 1024

    /// What the machine did.
    package enum Result: Hashable, Sendable {
        case success
        /// Authorised less than was requested.
        case partial
        case failure(NexoCondition, reason: String)
    }

    /// The member of the request's category.
    let content: JSONValue
    package let result: Result

    /// Nil for bytes that are not the response to `header`'s request, whatever else they are: another one's,
    /// an old one, one that is not sealed where the machine has a key, or one that somebody changed.
    package init?(_ bytes: [UInt8], to header: NexoHeader, sealedBy cipher: NexoCipher?) {
        guard let outer = Self.response(bytes) else { return nil }
        var message = outer
        if let cipher {
            guard let plain = cipher.opened(outer), let inner = Self.response(plain) else { return nil }
            message = inner
        }
        guard header.isFollowed(by: message["MessageHeader"]),
            let content = message["\(header.category.rawValue)Response"]
        else { return nil }
        self.init(content)
    }

    private init?(_ content: JSONValue) {
        guard let response = content["Response"], let result = Self.result(response) else { return nil }
        (self.content, self.result) = (content, result)
    }

    private static func response(_ bytes: [UInt8]) -> JSONValue? {
        guard bytes.count <= longestBytes else { return nil }
        return (try? JSONParser.parse(bytes))?["SaleToPOIResponse"]
    }

    private static func result(_ response: JSONValue) -> Result? {
        switch response["Result"]?.string {
        case "Success": return .success
        case "Partial": return .partial
        case "Failure":
            let condition = NexoCondition(rawValue: response["ErrorCondition"]?.string ?? "") ?? .other
            let text = NexoFields(response["AdditionalResponse"]?.string ?? "")
            return .failure(
                condition,
                reason: NexoText.line(text["refusalReason"] ?? text["message"] ?? condition.english))
        case _: return nil
        }
    }

    /// Of a status without an id: the machine's newest payment; nil where it shows none.
    package var newestPayment: NexoReply? {
        content["RepeatedMessageResponse"]?["RepeatedResponseMessageBody"]?["PaymentResponse"].flatMap {
            NexoReply($0)
        }
    }

    /// Of a payment: its amount in the currency's smallest unit, and when the machine made it; nil where it
    /// says none.
    package func booked(currency: String) -> (amount: Int64?, at: String?) {
        let moment = content["POIData"]?["POITransactionID"]?["TimeStamp"]?.string
        return (
            NexoAmount.amount(
                content["PaymentResult"]?["AmountsResp"]?["AuthorizedAmount"], currency: currency),
            moment.map(NexoText.line)
        )
    }

    /// Of a status: the response to the request that it names, as the machine remembers it; nil where it is
    /// not that of `category` and `serviceId`.
    package func repeated(
        _ category: NexoHeader.Category, serviceId: String, saleId: String, poiId: String
    ) -> NexoReply? {
        let message = content["RepeatedMessageResponse"]
        guard message?["MessageHeader"]?["ServiceID"]?.string == serviceId,
            message?["MessageHeader"]?["SaleID"]?.string == saleId,
            message?["MessageHeader"]?["POIID"]?.string == poiId,
            let inner = message?["RepeatedResponseMessageBody"]?["\(category.rawValue)Response"]
        else { return nil }
        return NexoReply(inner)
    }
}

/// Why a machine did not do it. New ones may come.
package enum NexoCondition: String, Hashable, Sendable, CaseIterable {
    case aborted = "Aborted"
    case busy = "Busy"
    case cancel = "Cancel"
    case deviceOut = "DeviceOut"
    case inProgress = "InProgress"
    case insertedCard = "InsertedCard"
    case invalidCard = "InvalidCard"
    case loggedOut = "LoggedOut"
    case messageFormat = "MessageFormat"
    case notAllowed = "NotAllowed"
    case notFound = "NotFound"
    case paymentRestriction = "PaymentRestriction"
    case refusal = "Refusal"
    case unavailableDevice = "UnavailableDevice"
    case unavailableService = "UnavailableService"
    case unreachableHost = "UnreachableHost"
    case wrongPIN = "WrongPIN"
    /// None of those above.
    case other = ""

    /// Whether the machine itself could not, whatever was requested.
    var isPassing: Bool {
        switch self {
        case .deviceOut, .insertedCard, .loggedOut, .unavailableDevice, .unavailableService, .unreachableHost:
            true
        case .aborted, .busy, .cancel, .inProgress, .invalidCard, .messageFormat, .notAllowed, .notFound,
            .paymentRestriction, .refusal, .wrongPIN, .other:
            false
        }
    }

    var english: String {
        switch self {
        case .aborted, .cancel: "cancelled at the machine"
        case .busy, .inProgress: "the machine is busy"
        case .deviceOut, .unavailableDevice, .unavailableService: "the machine is out of order"
        case .insertedCard: "a card is left in the machine"
        case .invalidCard: "card not accepted"
        case .loggedOut: "the machine wants a login"
        case .messageFormat: "the machine did not understand the till"
        case .notAllowed, .paymentRestriction: "not allowed at this machine"
        case .notFound: "the machine does not know the payment"
        case .refusal: "declined by the bank"
        case .unreachableHost: "the machine does not reach the bank"
        case .wrongPIN: "wrong PIN"
        case .other: "declined by the machine"
        }
    }
}

/// Members of a text like `tid=48211907&offline=false`, or of the same as Base64 of a JSON object: which, is
/// configured at the machine.
struct NexoFields {
    private var values: [String: String] = [:]

    init(_ text: String) {
        if let bytes = Data(base64Encoded: text), let json = try? JSONParser.parse(bytes), json.object != nil
        {
            take(json, depth: 0)
            return
        }
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            values[Self.decoded(parts[0])] = Self.decoded(parts[1])
        }
    }

    subscript(name: String) -> String? { values[name] }

    /// Objects inside an object that are read: `additionalData` is one.
    private static let deepest = 2

    private mutating func take(_ json: JSONValue, depth: Int) {
        for (name, value) in json.object ?? [:] {
            switch value {
            case .string(let text): values[name] = text
            case .bool(let isTrue): values[name] = isTrue ? "true" : "false"
            case .integer(let number): values[name] = "\(number)"
            case .object where depth < Self.deepest: take(value, depth: depth + 1)
            case .object, .array, .double, .null: break
            }
        }
    }

    /// What stands behind `%` and `+`; a `%` that begins no byte stays.
    private static func decoded(_ text: Substring) -> String {
        let source = Array(text.utf8)
        var (bytes, place) = ([UInt8](), 0)
        while place < source.count {
            if source[place] == UInt8(ascii: "%"), place + 2 < source.count,
                let high = nibble(source[place + 1]), let low = nibble(source[place + 2])
            {
                bytes.append(high << 4 | low)
                place += 3
            } else {
                bytes.append(source[place] == UInt8(ascii: "+") ? UInt8(ascii: " ") : source[place])
                place += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case _: nil
        }
    }
}

/// Texts of a machine for people.
enum NexoText {
    /// Characters of a line: two lines of a receipt.
    private static let longestLine = 96

    /// Printable, and without a card number.
    static func line(_ text: String) -> String {
        String(CardNumber.masked(text.printable).prefix(longestLine))
    }
}
