import Foundation
import HubProtocol
import TerminalStore
import TestKit

@testable import Agent

/// A till's folder with its key, in which nothing has been opened yet.
struct EnrolledHome {
    private let folder: TemporaryFolder
    let home: TerminalHome

    init() throws {
        folder = try TemporaryFolder()
        home = TerminalHome(path: folder.url.path)
        try home.makePrivate()
        _ = try DeviceKey(home: home, creating: true)
    }

    var path: String { folder.url.path }

    /// The database, made and enrolled.
    func database(of terminalId: String = "t-3", in storeId: String = "north-7") async throws
        -> TerminalDatabase
    {
        let database = try TerminalStores.open(home: home, creating: true)
        try await SQLiteTerminalFacts(database).enrol(
            Enrolment(
                terminalId: terminalId, storeId: storeId, terminalNumber: 3, token: "secret",
                tokenExpiresAt: "2099-01-01T00:00:00.000Z"), epoch: 1)
        return database
    }
}
