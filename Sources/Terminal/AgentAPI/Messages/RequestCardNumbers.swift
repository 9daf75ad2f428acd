import Base

internal import HubProtocol

/// Looks for card numbers in a request, before anything of it is read, logged or written: the one place for
/// every command, every line of `pos sell --stdin` and every program at the socket.
///
/// Every text, number and name of the body counts, and so do the path and the query. Texts in which as many
/// digits are usual are left aside, or looked at less strictly, by the member that carries them:
///
/// - `barcode` of an article, `article`, and the text of a search for articles: EAN-13, GTIN-14 and GS1
///   element strings have 13 digits and more. An article that the catalogue does not have is refused, and its
///   refusal masks what looks like a card number. Nothing is written but what the catalogue has already.
/// - `receiptCode`: base64 of a signature.
/// - `barcode` of an open item, which is in no catalogue, and `coupons`: an EAN-13 is accepted. A longer
///   number on a paper that has the check digit of a card is refused: a store can print its numbers without
///   it, and a card that was read into the wrong field must not reach a journal that is kept for ten years.
/// - ULIDs in every member and in the path: by chance 1 in some millions has the digits of a card number, and
///   a cart with such a key could never be sold.
/// - SHA-256 digests in hexadecimal, in every member: by chance 1 in some 200 has the digits of a card number
///   between two letters, and the hub's statement with such a one could never be verified.
/// - transaction ids of nexo machines, in every member: their first part has the moment, and one in ten has
///   the digits of a card number; `pos card decide` takes them as the machine's paper has them.
/// - `memberId`, which is a member's number or telephone number: as those, and a telephone number with its
///   prefix is accepted.
package enum RequestCardNumbers {
    /// What may be in a text.
    private enum Field {
        case text, code, person, article

        /// - Parameter isOpenItem: whether the object around it is a line without an article.
        init(_ name: String, isOpenItem: Bool) {
            switch name {
            case "barcode": self = isOpenItem ? .code : .article
            case "article", "receiptCode": self = .article
            case "coupons": self = .code
            case "memberId", "member": self = .person
            case _: self = .text
            }
        }

        func refuses(_ text: String) -> Bool {
            guard RequestCardNumbers.isLike(text) else { return false }
            switch self {
            case .article: return false
            case .code: return !CardNumber.isEAN(text)
            case .person: return !CardNumber.isEAN(text) && !CardNumber.isTelephone(text)
            case .text: return true
            }
        }
    }

    fileprivate static func isLike(_ text: String) -> Bool {
        // With a letter: digits alone are what a reader of cards sends.
        CardNumber.isLike(text)
            && !(text.contains(where: \.isLetter)
                && (ULID(text) != nil || Digest.isSHA256Hex(text) || isTransactionId(text)))
    }

    /// `9c5d001795850817671.HHT7PWW7NGTHJ7D6`: the terminal's reference, and 16 letters and digits.
    private static func isTransactionId(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && (1...40).contains(parts[0].count) && parts[1].count == 16
            && parts.joined().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            && parts[1].contains(where: \.isLetter)
    }

    /// The refusal of a request that contains what looks like a card number, which it does not repeat; nil:
    /// it contains none.
    package static func refusal(of request: AgentRequest) -> RequestRefusal? {
        if request.path.split(separator: "/").contains(where: { isLike(PathStep.decoded($0)) }) {
            return refusal(at: "the path")
        }
        for (name, text) in request.query {
            let field: Field = name == "text" ? .article : Field(name, isOpenItem: false)
            if CardNumber.isLike(name) || field.refuses(text) { return refusal(at: "the query") }
        }
        return request.body.flatMap { refusal(in: $0, Field.text, at: "the request") }
    }

    private static func refusal(in value: JSONValue, _ field: Field, at place: String) -> RequestRefusal? {
        switch value {
        case .null, .bool: return nil
        case .integer(let number): return CardNumber.isLike(number) ? refusal(at: place) : nil
        // A number that no member takes.
        case .double: return nil
        case .string(let text): return field.refuses(text) ? refusal(at: place) : nil
        case .array(let elements):
            return elements.lazy.compactMap { refusal(in: $0, field, at: place) }.first
        case .object(let members):
            let isOpenItem = members["department"].map { $0 != .null } ?? false
            for (name, value) in members {
                if CardNumber.isLike(name) { return refusal(at: place) }
                let field = Field(name, isOpenItem: isOpenItem)
                if let refusal = refusal(in: value, field, at: name) { return refusal }
            }
            return nil
        }
    }

    private static func refusal(at place: String) -> RequestRefusal {
        RequestRefusal(
            kind: .cardNumber,
            message:
                "\(place) contains what looks like a card number, which is never entered here: use the card "
                + "machine; nothing was done and nothing of it was kept")
    }
}
