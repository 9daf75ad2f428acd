import CurlHTTP
import CurlTransport
import Foundation
import HubProtocol
import HubServer
import Logging
import TestKit
import Testing

/// The figures of the operators' pages, as a browser gets them.
struct DashboardFigures {
    private let hub: SocketlessHub
    private let session: CurlSession

    /// Opens the store of a hub that nobody serves; ``close()`` before anything else opens it.
    init(of commands: HubCommands) async throws {
        var configuration = HubConfiguration(store: try #require(StoreLocation(commands.store)))
        configuration.keysFolder = commands.folder.path("keys")
        configuration.ops.isOpen = true
        // The name that this hub's requests are of.
        configuration.ops.hosts = ["hub"]
        session = try CurlSession(
            configuration: CurlSessionConfiguration(userAgent: "test", threadName: "test"))
        hub = try await SocketlessHub(
            configuration, session: session, logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() })
    }

    func close() { session.close() }

    func page(_ path: String) async throws -> String {
        let response = try #require(
            await hub.response("GET", path, headers: [("Host", "localhost")], body: nil, from: "127.0.0.1"))
        try #require(response.status == 200, "\(path): \(response.status)")
        return String(decoding: response.body, as: UTF8.self)
    }

    /// A table of a page as its button gives it: by the heads of its columns.
    func table(_ path: String) async throws -> [[String: String]] {
        let text = try await page(path)
        // A list without rows is no table.
        guard text.hasPrefix("\u{FEFF}") else { return [] }
        let lines = text.dropFirst().split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let head = try #require(lines.first)
        return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(head, $0)) }
    }

    /// The rows of one table of a page by the label of their first cell, each with its other cells.
    func rows(of path: String, headed head: String) async throws -> [(name: String, cells: [String])] {
        try await page(path).split(separator: "<tr>").filter {
            $0.contains("<th scope=\"row\" data-label=\"\(head)\">")
        }.map { row in
            let cells = row.split(separator: "<t").compactMap { cell -> String? in
                guard let text = cell.split(separator: ">", maxSplits: 1).last?.split(separator: "<").first
                else { return nil }
                return String(text)
            }
            return (cells.first ?? "", Array(cells.dropFirst()))
        }
    }

    /// Minor units of an amount as a page shows it: digits, groups and decimals; nothing and a dash are 0.
    static func amount(_ text: String?) -> Int64 {
        let text = text ?? ""
        let digits = text.filter { $0.isASCII && $0.isNumber }
        return (text.hasPrefix("-") || text.hasPrefix("−") ? -1 : 1) * (Int64(digits) ?? 0)
    }
}
