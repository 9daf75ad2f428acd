internal import HubProtocol

/// The names that a request of a person or of a back office may use, of its query's parameters or of its
/// body's members.
///
/// Others are refused: a misspelt filter would return the records of all stores, and a misspelt `storeId`
/// would make the override of one store one of the chain. Terminals' routes ignore what they do not know,
/// since a newer terminal sends more.
struct KnownNames: Sendable {
    private let names: [String]
    private let noun: String

    private init(_ names: [String], _ noun: String) {
        self.names = names
        self.noun = noun
    }

    /// Of a query.
    static func parameters(_ names: [String]) -> KnownNames { KnownNames(names, "parameter") }

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
        guard let unknown = used.first(where: { !names.contains($0) }) else { return }
        let shown = unknown.prefix(64).printable
        let refusal = "There is no \(noun) `\(shown)` here"
        guard let nearest = Self.nearest(to: unknown, among: names) else {
            throw .malformed(refusal + ".", .unknownParameter(shown, meant: nil, known: []))
        }
        // With more edits than half of its letters it was not mistyped.
        let isMeant = editDistance(unknown.lowercased(), nearest.lowercased()) * 2 <= unknown.count
        let known = names.map { "`\($0)`" }.joined(separator: ", ")
        throw .malformed(
            refusal + (isMeant ? "; did you mean `\(nearest)`?" : "; there are \(known)."),
            .unknownParameter(shown, meant: isMeant ? nearest : nil, known: names))
    }

    /// The known name with the fewest edits, however different it is; nil where there is none.
    static func nearest(to name: String, among names: [String]) -> String? {
        let name = name.lowercased()
        return names.map { (name: $0, distance: editDistance(name, $0.lowercased())) }
            .min { $0.distance < $1.distance }?.name
    }
}
