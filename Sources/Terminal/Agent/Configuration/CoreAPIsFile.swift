internal import Foundation
internal import HubProtocol
internal import OfflineCore

/// Reads `config/core-apis.json`: which API belongs to which service, and which services are core.
enum CoreAPIsFile {
    /// - Parameter path: nil takes the built-in table.
    static func load(_ path: String?) throws(TerminalError) -> CoreAPIs {
        guard let path else { return .standard }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw refusal(path, nil)
        }
        do {
            return try parse(try JSONParser.parse(Array(bytes)))
        } catch {
            throw refusal(path, "\(error)")
        }
    }

    /// - Throws: ``ShapeError`` naming the member that is wrong.
    static func parse(_ json: JSONValue) throws(ShapeError) -> CoreAPIs {
        var services: [APIRoute: String] = [:]
        for (service, routes) in try json.requiredObject("services").object ?? [:] {
            for route in routes.array ?? [] {
                let words = (route.string ?? "").split(separator: " ").map(String.init)
                guard words.count == 2, words[1].hasPrefix("/") else {
                    throw ShapeError(
                        path: "services.\(service)", expected: "routes such as \"GET /v1/members\"")
                }
                services[APIRoute(method: words[0], template: words[1])] = service
            }
        }
        let core = Set(try json.strings("core"))
        guard core.isSubset(of: Set(services.values)) else {
            throw ShapeError(path: "core", expected: "services that have routes")
        }
        return CoreAPIs(services: services, core: core)
    }

    private static func refusal(_ path: String, _ reason: String?) -> TerminalError {
        TerminalError(.unusable, code: "configuration_value") { $0.coreAPIs(path, reason) }
    }
}
