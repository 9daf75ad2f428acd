import Base

internal import AgentAPI
internal import CurlTransport
internal import Foundation
internal import HubProtocol
internal import Synchronization
internal import SystemPackage

/// The hub's last status of this version: accepted, accepted until a date, or refused as too old.
///
/// Kept in `<home>/schema-word.json`, so that a status without a running agent shows it too. Losing it is
/// harmless, since the next response brings it again; so it is not synced. The status of another version is
/// ignored.
final class SchemaStatus: Sendable {
    private struct State {
        var word: SchemaMessage
        /// Whether the hub refused this very run.
        var isRefusedNow = false
    }

    private let path: String
    private let state: Mutex<State>
    private let onChange: @Sendable () -> Void

    /// - Parameter onChange: called whenever the hub sends another notice than before.
    init(home: TerminalHome, onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
        path = home.path + "/schema-word.json"
        state = Mutex(State(word: Self.load(home.path + "/schema-word.json") ?? .welcome))
    }

    var word: SchemaMessage { state.withLock { $0.word } }

    /// Whether there is no use in querying the hub for anything, unless a person wants it tried.
    var isRefusedNow: Bool { state.withLock { $0.isRefusedNow } }

    func note(_ word: SchemaMessage) {
        let isNew = state.withLock { state in
            state.isRefusedNow = word == .refused
            defer { state.word = word }
            return state.word != word
        }
        guard isNew else { return }
        save(word)
        onChange()
    }

    private static func load(_ path: String) -> SchemaMessage? {
        guard let bytes = FileManager.default.contents(atPath: path),
            let json = try? JSONParser.parse(Array(bytes)),
            json["version"]?.string == TerminalVersion.current
        else { return nil }
        return SchemaMessage(json: json)
    }

    private func save(_ word: SchemaMessage) {
        var members = word.state.json.object ?? [:]
        members["version"] = .string(TerminalVersion.current)
        let line = JSONValue.object(members).canonicalBytes + [0x0A]
        guard
            let file = try? FileDescriptor.open(
                path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
        else { return }
        _ = try? file.closeAfter { try file.writeAll(line) }
    }
}

extension SchemaMessage {
    /// The object `schema` of the status.
    var state: SchemaState {
        let (state, notice): (String, SchemaNotice?) =
            switch self {
            case .welcome: ("welcome", nil)
            case .retiring(let notice): ("retiring", notice)
            case .refused: ("refused", nil)
            }
        return SchemaState(
            state: state, sunsetAt: notice.map { Timestamp.text(milliseconds: $0.sunsetAt) },
            deprecatedAt: notice?.deprecatedAt.map(Timestamp.text(milliseconds:)))
    }

    fileprivate init?(json: JSONValue) {
        switch json["state"]?.string {
        case "welcome"?: self = .welcome
        case "refused"?: self = .refused
        case "retiring"?:
            guard let sunset = json["sunsetAt"]?.string.flatMap(Timestamp.milliseconds(of:)) else {
                return nil
            }
            let deprecated = json["deprecatedAt"]?.string.flatMap(Timestamp.milliseconds(of:))
            self = .retiring(SchemaNotice(deprecatedAt: deprecated, sunsetAt: sunset))
        default: return nil
        }
    }
}
