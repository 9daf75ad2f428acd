internal import HubProtocol

extension SalePoints {
    /// The member `points` of a sale and of a quote.
    var json: JSONValue {
        ["earned": .integer(earned), "spent": .integer(spent), "value": .integer(value)]
    }
}

extension ReturnedPoints {
    /// The member `points` of a refund.
    var json: JSONValue {
        ["earnedReturned": .integer(earnedReturned), "spentReturned": .integer(spentReturned)]
    }
}
