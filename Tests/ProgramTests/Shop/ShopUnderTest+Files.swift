import Foundation

extension ShopUnderTest {
    /// Every file of the till's data folder with its bytes, except the lock and SQLite's shared memory, which
    /// readers touch too.
    func homeContents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        let walker = FileManager.default.enumerator(atPath: home)
        while let name = walker?.nextObject() as? String {
            guard !name.hasSuffix("-shm"), name != "agent.lock",
                let data = FileManager.default.contents(atPath: home + "/" + name)
            else { continue }
            contents[name] = data
        }
        return contents
    }

    /// Writes the till's configuration anew, with `change` made to it.
    func writeConfiguration(_ text: String) throws {
        try text.write(toFile: home + "/terminal.json", atomically: true, encoding: .utf8)
    }

    /// The file of the manual flag.
    var flagFile: String { home + "/manual-offline.json" }
}
