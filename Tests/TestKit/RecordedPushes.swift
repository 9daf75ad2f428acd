import Foundation
package import HubProtocol
import Testing

/// Requests as a till of some version really sent them, and the responses of the hub (`Tests/Recordings`).
package struct RecordedPushes: CustomTestStringConvertible, Sendable {
    /// One batch of one of the recording's tills.
    package struct Request: Sendable {
        package let terminal: String
        package let headers: [String: String]
        package let body: JSONValue
        package let outcomes: [String]
        /// What was uploaded before.
        package let attachments: [Attachment]

        package var mutations: [JSONValue] { body["mutations"]?.array ?? [] }
    }

    /// What a till attached; on record it is a text.
    package struct Attachment: Sendable {
        package let info: AttachmentInfo
        package let text: String

        init(json: JSONValue) throws {
            info = try AttachmentInfo(json: json)
            text = try json.requiredString("text")
        }
    }

    package let name: String
    package let requests: [Request]

    package var testDescription: String { name }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Recordings")

    /// Every recording of every schema.
    package static func all() throws -> [RecordedPushes] {
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".json") }.sorted().map(RecordedPushes.init(path:))
    }

    private init(path: String) throws {
        name = path
        let json = try JSONParser.parse(Data(contentsOf: Self.folder.appendingPathComponent(path)))
        requests = try (json["requests"]?.array ?? []).map { request in
            Request(
                terminal: try request.requiredString("terminal"),
                headers: (request["headers"]?.object ?? [:]).compactMapValues(\.string),
                body: request["body"] ?? .null, outcomes: try request.strings("outcomes"),
                attachments: try (request["attachments"]?.array ?? []).map(Attachment.init))
        }
    }

    /// The shape of every mutation in it.
    package var shapes: Set<MutationShape> {
        Set(requests.flatMap(\.mutations).map(MutationShape.init))
    }
}

/// What a mutation consists of, whatever its values: its type, and the paths of its members.
package struct MutationShape: Hashable, CustomStringConvertible {
    package let type: String
    package let members: Set<String>

    package init(_ mutation: JSONValue) {
        type = mutation["type"]?.string ?? ""
        members = Self.paths(of: mutation, under: "")
    }

    /// Whether it has no member that `other` lacks.
    package func isPart(of other: MutationShape) -> Bool {
        type == other.type && members.isSubset(of: other.members)
    }

    private static func paths(of value: JSONValue, under path: String) -> Set<String> {
        if let object = value.object {
            return object.reduce(into: []) { $0.formUnion(paths(of: $1.value, under: "\(path).\($1.key)")) }
        }
        guard let array = value.array, !array.isEmpty else { return [path] }
        return array.reduce(into: []) { $0.formUnion(paths(of: $1, under: path + "[]")) }
    }

    package var description: String { "\(type) \(members.sorted())" }
}
