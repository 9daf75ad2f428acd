internal import HubProtocol

/// The names that a request of a person or of a back office may use, of its query's parameters or of its
/// body's members.
///
/// Others are refused: a misspelt filter would return the records of all stores, and a misspelt `storeId`
/// would make the override of one store one of the chain. Terminals' routes ignore what they do not know,
/// since a newer terminal sends more.
struct KnownNames: Sendable {
    private let names: [String]
    /// Those that links of a page have, and nobody writes: they are accepted and never proposed.
    private let ofLinks: [String]
    private let noun: String

    private init(_ names: [String], ofLinks: [String] = [], _ noun: String) {
        self.names = names
        self.ofLinks = ofLinks
        self.noun = noun
    }

    /// Of a query.
    static func parameters(_ names: [String], ofLinks: [String] = []) -> KnownNames {
        KnownNames(names, ofLinks: ofLinks, "parameter")
    }

    /// Of a form.
    static func fields(_ names: [String]) -> KnownNames { KnownNames(names, "field") }

    /// Of a body.
    static func members(_ names: String...) -> KnownNames { KnownNames(names, "member") }

    /// - Throws: `400 malformed_request` with the first name that stands twice, else with the first unknown
    ///   one, and the known one that it is meant for, or all of them where it is like none.
    func check(_ used: some Sequence<String>) throws(Problem) {
        var seen: Set<String> = []
        if let repeated = used.first(where: { !seen.insert($0).inserted }) {
            let shown = repeated.prefix(64).printable
            throw .malformed("The \(noun) `\(shown)` stands twice; send it once.", .repeated(shown))
        }
        guard let unknown = used.first(where: { !names.contains($0) && !ofLinks.contains($0) }) else { return }
        let shown = unknown.prefix(64).printable
        let refusal = "There is no \(noun) `\(shown)` here"
        guard !names.isEmpty else {
            throw .malformed(refusal + ": leave it out.", .unknownParameter(shown, meant: nil, known: []))
        }
        let meant = Self.meant(by: unknown, among: names)
        let known = names.map { "`\($0)`" }.joined(separator: ", ")
        throw .malformed(
            refusal + (meant.map { "; did you mean `\($0)`?" } ?? "; there are \(known)."),
            .unknownParameter(shown, meant: meant, known: names))
    }

    /// The known name that was probably mistyped; nil where the name is like none. With more edits than a
    /// third of its letters a short one is another word: `mode` has two edits from `done`.
    static func meant(by name: String, among names: [String]) -> String? {
        guard let nearest = nearest(to: name, among: names) else { return nil }
        return editDistance(name.lowercased(), nearest.lowercased()) * 3 <= name.count + 1 ? nearest : nil
    }

    /// The known name with the fewest edits, however different it is; nil where there is none.
    static func nearest(to name: String, among names: [String]) -> String? {
        let name = name.lowercased()
        return names.map { (name: $0, distance: editDistance(name, $0.lowercased())) }
            .min { $0.distance < $1.distance }?.name
    }
}
