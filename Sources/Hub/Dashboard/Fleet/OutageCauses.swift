/// Why terminals were offline, as exactly as they know it.
package struct OutageCauses: Hashable, Sendable {
    /// The terminal's words, for example `network`, each once.
    package private(set) var names: [String]
    /// What it observed, for example `probe:dns`, each once, the oldest first.
    package private(set) var evidence: [String]

    package init(_ names: [String], evidence: [String] = []) {
        (self.names, self.evidence) = (names, evidence)
    }

    /// Nothing comes, and the terminal could not say why.
    static let silent = OutageCauses(["silent"])

    mutating func add(_ more: OutageCauses) {
        for name in more.names where !names.contains(name) { names.append(name) }
        for name in more.evidence where !evidence.contains(name) && evidence.count < Self.mostEvidence {
            evidence.append(name)
        }
    }

    /// As many as four terminals report.
    private static let mostEvidence = 16

    /// What the evidence shows of a network; nil where it shows nothing more than the cause.
    var network: PageWord.NetworkFault? {
        func has(_ isMeant: (String) -> Bool) -> Bool { evidence.contains(where: isMeant) }
        // What lies nearest to the terminal explains the rest.
        if has({ $0 == "pathLost" }) { return .noLink }
        if has({ $0.hasSuffix(":portal:expiredCertificate") }) { return .certificate }
        if has({ $0.hasSuffix(":portal:foreignName") }) { return .foreignName }
        if has({ $0.contains(":portal:") }) { return .portal }
        if has({ $0.hasSuffix(":dns") }) { return .names }
        if has({ $0 == "internet:silent" }) { return .noInternet }
        if has({ $0 == "hubDark" }) { return .hubDark }
        let lost = [":timeout", ":connect", ":connectTimeout", ":reset", ":silent", ":stalled", ":tls"]
        if has({ name in lost.contains { name.hasSuffix($0) } }) { return .lost }
        return nil
    }

    /// The services that were faulty.
    var services: [String] {
        evidence.filter { $0.hasPrefix("service:") }.compactMap { name in
            name.split(separator: ":").dropFirst().first.map(String.init)
        }
    }

    /// What the person wrote who set the terminal offline; nil without.
    var reason: String? {
        let mark = "manual:"
        return evidence.first { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    }
}
