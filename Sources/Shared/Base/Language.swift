/// A language of the product's texts. Each part of the product has a protocol of its texts, one type for each
/// language conforms to it, and one `switch` over this type in that part chooses it.
package enum Language: String, Hashable, Sendable, CaseIterable, Codable {
    /// Printed receipts in Windows-1252.
    case english = "en"
    /// Printed receipts in GB18030, for printers with a Chinese font.
    case chinese = "zh"

    /// The language that an environment requests: by `LC_ALL`, `LC_MESSAGES` and `LANG`, the first that is
    /// set (POSIX.1-2017, section 8.2); English for what is not there.
    package init(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        self = Self.allCases.first { locale.hasPrefix($0.rawValue) } ?? .english
    }

    /// The language of a visitor: the one they chose, else the first of `Accept-Language` (RFC 9110, section
    /// 12.5.4) that there is, else English.
    package init(chosen: String?, accepted: String?) {
        if let chosen = chosen.flatMap(Self.init) {
            self = chosen
            return
        }
        for part in (accepted ?? "").split(separator: ",") {
            let tag = part.drop { $0 == " " }.prefix { $0 != ";" && $0 != "-" }.lowercased()
            if let language = Self(rawValue: tag) {
                self = language
                return
            }
        }
        self = .english
    }
}
