/// What a file shows of a shift: a statement alone, or the document of a shift with one or several of them
/// (`pos shift show --json`, `pos-hub shifts show --json`).
package struct ShiftProof: Hashable, Sendable {
    /// What a valid signature says, for the people who check it.
    package static let extent =
        "signed are the entries, the sums and the head; not the float, what was counted, and debts"

    /// In the order of their epochs; never empty.
    package let statements: [ShiftStatement]

    /// Reads a file. The statements of a document have to be those of its shift: a true statement that stands
    /// in another shift's document proves nothing about it.
    ///
    /// - Throws: ``ShapeError`` where there is no statement, or where one contradicts the document.
    package init(json: JSONValue) throws(ShapeError) {
        guard json["signature"] == nil else {
            statements = [try ShiftStatement(json: json)]
            return
        }
        var list = json["statements"]?.array ?? []
        if list.isEmpty, let single = json["statement"] { list = [single] }
        guard !list.isEmpty else { throw ShapeError(path: "statement", expected: "a statement of a hub") }
        var statements: [ShiftStatement] = []
        for statement in list { statements.append(try ShiftStatement(json: statement)) }
        if let last = json["statement"], last != list.last {
            throw ShapeError(path: "statement", expected: "the last of `statements`")
        }
        self.statements = statements
        try check(against: json)
    }

    /// The last part of the shift.
    package var last: ShiftStatement { statements[statements.count - 1] }

    /// The keys among `keys` that signed the statements, in their order; nil where one of them is nobody's.
    package func signers(among keys: [HubPublicKey]) -> [HubPublicKey]? {
        let signers = statements.compactMap { $0.signer(among: keys) }
        return signers.count == statements.count ? signers : nil
    }

    private func check(against document: JSONValue) throws(ShapeError) {
        guard document["shiftId"] != nil else { return }
        let shiftId = try document.requiredString("shiftId")
        let terminalId = try document.optionalString("terminalId") ?? statements[0].terminalId
        var epoch: Int64 = 0
        for (place, statement) in statements.enumerated() {
            func differs(_ member: String) -> ShapeError {
                ShapeError(path: "statements[\(place)].\(member)", expected: "the document's")
            }
            guard statement.shiftId == shiftId else { throw differs("shiftId") }
            guard statement.terminalId == terminalId else { throw differs("terminalId") }
            guard statement.currency == document["currency"]?.string else { throw differs("currency") }
            guard statement.epoch > epoch else {
                throw ShapeError(path: "statements[\(place)].epoch", expected: "above the one before")
            }
            epoch = statement.epoch
        }
        // Of a disputed shift the differences are what the document shows.
        guard document["state"] != "disputed" else { return }
        let end = try document.requiredObject("sequence").requiredInteger("to")
        guard last.to == end else { throw ShapeError(path: "sequence.to", expected: "the statement's `to`") }
        guard last.head == document["head"]?.string else {
            throw ShapeError(path: "head", expected: "the statement's")
        }
        var sums = ShiftSums()
        for statement in statements { sums = try sums.adding(statement.sums) }
        guard try sums == ShiftSums(json: document) else {
            throw ShapeError(path: "sums", expected: "those of the statements")
        }
        try check(cash: document, against: sums)
    }

    /// Nobody signs the float and what was counted; what follows from them has to follow.
    private func check(cash document: JSONValue, against sums: ShiftSums) throws(ShapeError) {
        guard let cash = document["cash"] else { return }
        let float = try document.requiredInteger("float", in: PayloadRange.count)
        let expected = try cash.requiredInteger("expected")
        guard expected == sums.expectedCash(float: float) else {
            throw ShapeError(
                path: "cash.expected", expected: "the float and the cash of the statements' sums")
        }
        guard let counted = try cash.optionalInteger("counted", in: PayloadRange.count) else { return }
        guard try cash.requiredInteger("difference") == counted - expected else {
            throw ShapeError(path: "cash.difference", expected: "what was counted less what was expected")
        }
    }
}
