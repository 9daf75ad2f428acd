/// A member as `GET /v1/members/{id}` returns it (http.md section 6): the fields of the profile, whatever
/// they are, with `id` and `points`. `GET /v1/members?phone=` returns `{"members":[…]}`.
package struct MemberRecord: Hashable, Sendable {
    /// Unique in the chain; a ULID where a terminal made the member.
    package let id: String
    /// Nil without one, and on terminals unless the store's `members.names` is `on`.
    package let name: String?
    /// As the profile has it; in the feed of schema 2 its keyed digest. Nil: none.
    package let phone: String?
    /// Below zero when two tills spent the same points.
    package let points: Int64
    /// Any text of the profile, for example `gold`; nil: none.
    package let tier: String?
    /// All fields, `points` among them, as the change feed shows them.
    package let value: JSONValue

    /// Of a name or a telephone number, in bytes: 66 Chinese characters. With half of it long names of people
    /// do not fit; with twice as much a page of the change feed holds fewer members.
    package static let longestField = TextBound.entered
    /// The mutation by which a terminal makes a member.
    package static let creation = "member.created"
    /// The field of a member who is another one: the id of that one. Nothing else is known of them.
    package static let mergedInto = "mergedInto"

    /// - Parameter value: the member's value in the change feed.
    package init(id: String, value: JSONValue) {
        self.id = id
        self.value = value
        name = value["name"]?.string
        phone = value["phone"]?.string
        points = value["points"]?.integer ?? 0
        tier = value["tier"]?.string
    }

    /// Reads a response; every member but `id` goes into ``value``. Throws ``ShapeError`` without an `id`.
    package init(json: JSONValue) throws(ShapeError) {
        let id = try json.requiredString("id")
        var fields = json.object ?? [:]
        fields["id"] = nil
        self.init(id: id, value: .object(fields))
    }

    /// The fields of ``value`` with `id` and `points`.
    package var json: JSONValue {
        var fields = value.object ?? [:]
        fields["id"] = .string(id)
        fields["points"] = .integer(points)
        return .object(fields)
    }

    /// The digits of a telephone number, by which members are looked up: `+86 138-0013 8000` and
    /// `8613800138000` are the same. Nil when there are none.
    package static func lookupDigits(of phone: String) -> String? {
        let digits = phone.utf8.filter { (0x30...0x39).contains($0) }
        return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
    }

    /// The digits that may be kept for a telephone number, the number as it is typed first: it finds one
    /// member with and without the prefix of the country.
    ///
    /// `+86 139 1234 5678` is also looked up as `13912345678` and `013912345678`, and a mobile number of
    /// mainland China also with `86`. Other countries' numbers without a prefix cannot be completed, since
    /// nothing names the country. Whoever looks up takes the first form that finds somebody.
    package static func lookupForms(of phone: String) -> [String] {
        guard let digits = lookupDigits(of: phone) else { return [] }
        var forms = [digits]
        if phone.first(where: { !$0.isWhitespace }) == "+" || digits.hasPrefix("00") {
            let full = digits.hasPrefix("00") ? String(digits.dropFirst(2)) : digits
            let national = String(full.dropFirst(countryCodeLength(of: full)))
            forms += [full, "00" + full]
            if national.utf8.count >= shortestNumber { forms += [national, "0" + national] }
        } else if isChineseMobile(digits) {
            forms += ["86" + digits, "0086" + digits]
        } else if digits.hasPrefix("86"), isChineseMobile(String(digits.dropFirst(2))) {
            forms.append(String(digits.dropFirst(2)))
        }
        var seen: Set<String> = []
        return forms.filter { seen.insert($0).inserted }
    }

    /// A telephone number as ITU-T E.164 writes it, `+491701234567`, of what was typed in a country.
    ///
    /// A number with `+` or `00` in front names its country itself; of any other one a 0 in front is the
    /// national prefix, except in Italy and San Marino, whose numbers begin with it. From twelve digits on,
    /// in zone 1 from eleven, a number that begins with the code is complete.
    ///
    /// - Parameter country: the calling code, for example 49; nil: only a number that names its country can
    ///   be completed.
    /// - Returns: nil for a text that is no telephone number, has too few or too many digits, or names no
    ///   country where none is known.
    package static func international(_ phone: String, in country: Int?) -> String? {
        let between = " -./()\u{A0}\u{2011}\u{2013}".unicodeScalars
        // `+49 (0)170 …` names the digit that is dialled at home alone.
        let signs = phone.replacing("(0)", with: "").unicodeScalars.filter { !between.contains($0) }
        let isComplete = signs.first == "+"
        let digits = String(String.UnicodeScalarView(isComplete ? signs.dropFirst() : signs[...]))
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var full = digits
        if !isComplete {
            if digits.hasPrefix("00") {
                full = String(digits.dropFirst(2))
            } else {
                guard let country else { return nil }
                let code = String(country)
                let keepsZero = code == "39" || code == "378"
                // No national number has twelve digits; one that begins with the code is complete then.
                let isFull =
                    digits.hasPrefix(code) && digits.utf8.count >= (code == "1" ? 11 : 12)
                guard digits.utf8.count >= shortestNumber else { return nil }
                let isDialled = digits.hasPrefix("0") && !keepsZero
                full = isFull ? digits : code + (isDialled ? digits.dropFirst() : digits[...])
            }
        }
        guard (7...15).contains(full.utf8.count), !full.hasPrefix("0") else { return nil }
        return "+" + full
    }

    /// Digits from which on a text may be a telephone number: shorter ones are extensions within a company.
    package static let shortestNumber = 6

    /// ``lookupForms(of:)`` of a text that is one person's telephone number; none for fewer digits.
    package static func personalForms(of phone: String) -> [String] {
        guard let digits = lookupDigits(of: phone), digits.utf8.count >= shortestNumber else { return [] }
        return lookupForms(of: phone)
    }

    /// 11 digits that begin with 13 to 19, as all mobile numbers of mainland China.
    private static func isChineseMobile(_ digits: String) -> Bool {
        let numbers = Array(digits.utf8)
        return numbers.count == 11 && numbers[0] == 0x31 && (0x33...0x39).contains(numbers[1])
    }

    /// ITU-T E.164, annex D: zones 1 and 7 have one digit, these pairs are codes, all others have three.
    private static func countryCodeLength(of digits: String) -> Int {
        if digits.hasPrefix("1") || digits.hasPrefix("7") { return 1 }
        return twoDigitCountries.contains(String(digits.prefix(2))) ? 2 : 3
    }

    private static let twoDigitCountries: Set<String> = [
        "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48",
        "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81",
        "82", "84", "86", "90", "91", "92", "93", "94", "95", "98",
    ]
}
