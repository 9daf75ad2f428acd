internal import AgentAPI
internal import ArgumentParser

/// What is in a basket, the same for a sale, a quote and a parked cart.
struct BasketOptions: ParsableArguments {
    @Option(
        name: .customLong("line"),
        help: ArgumentHelp(
            "BARCODE[:QTY][@PRICE][#DEPARTMENT[/RATE]]; repeat for more lines. QTY may have 3 decimals; PRICE is minor "
                + "units for one unit; DEPARTMENT sells what the catalogue does not have, with RATE in percent where "
                + "it has several."))
    var lines: [String] = []
    @Option(help: "The member's id or telephone number.") var member: String?
    @Option(name: .customLong("coupon"), help: "A coupon's code; repeat for more.") var coupons: [String] = []
    @Option(help: "Points of the member that pay a part; not for a parked cart.") var points: Int64?

    /// The basket as the call of a sale without payments.
    func call(key: String? = nil) throws -> SellCall {
        var call = SellCall(
            key: key, lines: try lines.map { try SaleArguments.line($0) }, memberId: member,
            coupons: coupons)
        call.points = points
        return call
    }
}
