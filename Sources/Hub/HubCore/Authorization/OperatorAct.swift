import Base

package import HubProtocol

/// Something that an operator did or was refused, as the log keeps it.
package struct OperatorAct: Hashable, Sendable {
    /// What became of it.
    package enum Outcome: String, Hashable, Sendable {
        case done
        /// It waits for a second operator.
        case proposed
        /// The role has no right to it, or a password was wrong.
        case refused
    }

    /// Milliseconds since 1970.
    package let at: Int64
    /// The operator's name; `local` for the owner of the hub's machine.
    package let name: String
    /// The operator's role at that moment.
    package let role: CallerRole
    /// The word of a ``LoggedAction``, or of the ``ProtectedAction`` that was refused.
    package let action: String
    /// What it was done to: a service, a terminal, an operator; empty where there is no single one.
    package let subject: String
    /// The reason and the values, for people. No secret in it.
    package let detail: String
    /// What became of it.
    package let outcome: Outcome

    /// Makes an act at `at`, in milliseconds since 1970. Control characters become spaces, and texts end
    /// after 64 characters, `detail` after 1,000.
    package init(
        at: Int64, name: String, role: CallerRole, action: String, subject: String = "", detail: String = "",
        outcome: Outcome = .done
    ) {
        self.at = at
        self.name = Self.bounded(name, 64)
        self.role = role
        self.action = Self.bounded(action, 64)
        self.subject = Self.bounded(subject, 64)
        self.detail = Self.bounded(detail, 1_000)
        self.outcome = outcome
    }

    private static func bounded(_ text: String, _ count: Int) -> String {
        let scalars = text.unicodeScalars.prefix(count).map { scalar in
            scalar.properties.generalCategory == .control ? " " : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// An entry of the operators' log: an act, chained by hashes to the one before it.
///
/// The hash is SHA-256 of the canonical JSON of the entry without its hash; `previousHash` is in it, so that
/// no entry can be changed, moved or taken out of the middle unnoticed. The last ones can: a copy of the last
/// hash elsewhere shows it.
package struct LoggedAct: Hashable, Sendable {
    /// From 1, without gaps.
    package let sequence: Int64
    /// What was done.
    package let act: OperatorAct
    /// The hash of the entry before; ``firstHash`` for the first.
    package let previousHash: String
    /// 64 hexadecimal characters.
    package let hash: String

    /// What stands before the first entry.
    package static let firstHash = String(repeating: "0", count: 64)

    /// The entry of `act` behind an entry with that number and hash.
    package init(_ act: OperatorAct, after sequence: Int64, hash previousHash: String) {
        self.sequence = sequence + 1
        self.act = act
        self.previousHash = previousHash
        hash = Self.hash(of: act, self.sequence, previousHash)
    }

    /// An entry as a store holds it; its hash is not verified here.
    package init(sequence: Int64, act: OperatorAct, previousHash: String, hash: String) {
        self.sequence = sequence
        self.act = act
        self.previousHash = previousHash
        self.hash = hash
    }

    /// Whether the entry stands behind one with that number and hash, and is as it was written.
    package func follows(_ sequence: Int64, hash: String) -> Bool {
        self == LoggedAct(act, after: sequence, hash: hash)
    }

    private static func hash(of act: OperatorAct, _ sequence: Int64, _ previousHash: String) -> String {
        Digest.sha256Hex(
            JSONValue.object(members(of: act, sequence, previousHash)).canonicalBytes)
    }

    private static func members(
        of act: OperatorAct, _ sequence: Int64, _ previousHash: String
    ) -> JSONObject {
        [
            "sequence": .integer(sequence), "at": .string(Timestamp.text(milliseconds: act.at)),
            "operator": .string(act.name), "role": .string(act.role.rawValue),
            "action": .string(act.action), "subject": .string(act.subject), "detail": .string(act.detail),
            "outcome": .string(act.outcome.rawValue), "previousHash": .string(previousHash),
        ]
    }

    /// As `pos-hub operator log --json` has it.
    package var json: JSONValue {
        var members = Self.members(of: act, sequence, previousHash)
        members["hash"] = .string(hash)
        return .object(members)
    }
}
