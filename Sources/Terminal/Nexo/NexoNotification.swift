package import HubProtocol

/// A message that a machine sends by itself while a request is open: what the shopper has to do, or what it
/// wants of the cashier. It comes from the shop's network, and never decides anything.
package struct NexoNotification: Hashable, Sendable {
    /// Bytes of one; real ones have some thousand.
    package static let longestBytes = 16 * 1024

    private enum Category: String {
        case display = "Display"
        case input = "Input"
        case event = "Event"
    }

    /// What people have to know of it; nil: nothing.
    package let progress: DeviceProgress?
    private let category: Category
    private let header: JSONObject

    /// Nil for bytes that are no such message of the machine `open` went to about the request of `open`.
    ///
    /// - Parameter open: the header of the request that is open.
    package init?(_ bytes: [UInt8], about open: NexoHeader, sealedBy cipher: NexoCipher?) {
        guard bytes.count <= Self.longestBytes, let outer = Self.request(bytes) else { return nil }
        var message = outer
        if let cipher {
            guard let plain = cipher.opened(outer), let inner = Self.request(plain) else { return nil }
            message = inner
        }
        guard let header = message["MessageHeader"]?.object, header["POIID"]?.string == open.poiId,
            header["SaleID"]?.string == open.saleId, header["ServiceID"]?.string == open.serviceId,
            let category = header["MessageCategory"]?.string.flatMap(Category.init(rawValue:)),
            header["MessageType"]?.string == (category == .event ? "Notification" : "Request")
        else { return nil }
        (self.category, self.header) = (category, header)
        let shown = message["DisplayRequest"]?["DisplayOutput"]?.array ?? []
        progress =
            shown.lazy.compactMap { output in
                let fields = NexoFields(
                    output["OutputContent"]?["PredefinedContent"]?["ReferenceID"]?.string ?? "")
                return fields["event"].flatMap(Self.progress)
            }.first
    }

    private static func request(_ bytes: [UInt8]) -> JSONValue? {
        (try? JSONParser.parse(bytes))?["SaleToPOIRequest"]
    }

    private static func progress(_ event: String) -> DeviceProgress? {
        switch event {
        case "TENDER_CREATED": .insertCard
        case "WAIT_FOR_PIN": .enterPIN
        case "CARD_INSERTED", "CARD_PRESENTED", "CARD_SWIPED", "WAIT_FOR_APP_SELECTION",
            "APPLICATION_SELECTED", "PIN_ENTERED", "PRINT_RECEIPT", "CARD_REMOVED", "TENDER_FINAL":
            .wait
        case _: nil
        }
    }

    /// The response: what is to be shown was shown, and nobody can type anything at the till for a machine.
    /// Nil: the message wants none.
    ///
    /// - Parameter nonce: 16 fresh random bytes.
    package func response(sealedBy cipher: NexoCipher?, nonce: [UInt8]) -> [UInt8]? {
        var members: JSONObject
        switch category {
        case .event: return nil
        case .display:
            members = [
                "DisplayResponse": [
                    "OutputResult": [
                        [
                            "Device": "CashierDisplay", "InfoQualify": "Display",
                            "Response": ["Result": "Success"],
                        ]
                    ]
                ]
            ]
        case .input:
            members = [
                "InputResponse": [
                    "InputResult": [
                        "Device": "CashierInput", "InfoQualify": "Input",
                        "Response": [
                            "Result": "Failure", "ErrorCondition": "NotAllowed",
                            "AdditionalResponse": "message=not+supported",
                        ],
                    ]
                ]
            ]
        }
        var header = header
        header["MessageType"] = "Response"
        members["MessageHeader"] = .object(header)
        let plain = (["SaleToPOIResponse": .object(members)] as JSONValue).canonicalBytes
        guard let cipher else { return plain }
        guard var envelope = cipher.sealed(plain, nonce: nonce) else { return nil }
        envelope["MessageHeader"] = .object(header)
        return (["SaleToPOIResponse": .object(envelope)] as JSONValue).canonicalBytes
    }
}
