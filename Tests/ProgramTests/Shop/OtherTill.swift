import Foundation
import HubProtocol
import TestKit

/// A second till of a shop, run by commands alone.
struct OtherTill {
    let shop: ShopUnderTest
    let home: String

    init(_ shop: ShopUnderTest) throws {
        self.shop = shop
        home = shop.folder.path("other")
        _ = try document("init", "--hub", shop.hubURL, "--enrol", try shop.enrolmentCode(), "--name", "other")
    }

    func document(_ arguments: String...) throws -> JSONValue {
        let end = try ProgramUnderTest.run(
            "pos", arguments + ["--json", "--home", home], environment: shop.settings)
        guard end.exitCode == 0 else { throw ShopError.commandFailed(arguments, end) }
        return try end.document()
    }

    /// Drains and pulls.
    func sync() throws { _ = try document("sync", "now") }

    func notes() throws -> [JSONValue] { try document("note", "list")["notes"]?.array ?? [] }
}

extension ShopUnderTest {
    /// Enrols a till that a test speaks for itself, and a connection to the hub for it.
    func scriptedTill() throws -> (till: TillOverHTTP, client: LoopbackClient) {
        let client = try LoopbackClient(url: hubURL, timeout: 20)
        let enrolment = try SignedEnrolment(code: try enrolmentCode(), name: "scripted")
        let response = try client.request(
            "POST", Routes.terminals, headers: enrolment.headers, body: enrolment.body)
        return (TillOverHTTP(try EnrolmentGrant(json: response.json())), client)
    }
}
