import HubProtocol

/// Whose message it is, and which: the ids by which a response is known to be one to the open request.
package struct NexoHeader: Hashable, Sendable {
    /// What is requested.
    package enum Category: String, Hashable, Sendable, CaseIterable {
        case login = "Login"
        case diagnosis = "Diagnosis"
        case payment = "Payment"
        case reversal = "Reversal"
        case status = "TransactionStatus"
        case abort = "Abort"
        case reconciliation = "Reconciliation"
    }

    package let category: Category
    /// 1 to 10 letters and digits, used once in 48 h for a machine: see ``serviceId(from:)``.
    package let serviceId: String
    /// The till's name at the machine.
    package let saleId: String
    /// The machine's id, `MODEL-SERIAL`.
    package let poiId: String

    package init(_ category: Category, serviceId: String, saleId: String, poiId: String) {
        self.category = category
        self.serviceId = serviceId
        self.saleId = saleId
        self.poiId = poiId
    }

    /// As it stands in a request.
    var json: JSONValue {
        [
            "ProtocolVersion": "3.0", "MessageClass": "Service",
            "MessageCategory": .string(category.rawValue), "MessageType": "Request",
            "ServiceID": .string(serviceId), "SaleID": .string(saleId), "POIID": .string(poiId),
        ]
    }

    /// Whether `json` is the header of the response to the request of this one.
    func isFollowed(by json: JSONValue?) -> Bool {
        json?["MessageType"] == "Response" && json?["MessageCategory"]?.string == category.rawValue
            && json?["ServiceID"]?.string == serviceId && json?["SaleID"]?.string == saleId
            && json?["POIID"]?.string == poiId
    }

    /// Ten letters and digits. A machine with a request each second has one twice within 48 h once in some
    /// hundred thousand years.
    package static func serviceId(from random: some RandomNumberGenerator) -> String {
        var random = random
        let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        return String((0..<10).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
    }
}
