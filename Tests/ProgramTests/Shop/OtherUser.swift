import Foundation
import Glibc
import TestKit
import Testing

/// Runs a program as a user who may read the till's data folder and not write it; root alone can do that.
enum OtherUser {
    static let need: Comment = "needs root, /usr/bin/setpriv and programs that every user may run"
    static let wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    static var isUsable: Bool {
        guard geteuid() == 0, access("/usr/bin/setpriv", X_OK) == 0 else { return false }
        let program = ProgramUnderTest.directory.appendingPathComponent("pos").path
        return (try? Command.run(wrapper + ["/usr/bin/test", "-x", program])) != nil
    }

    /// Opens `folder` for everybody and everything in `home` for reading.
    static func lend(_ folder: String, readingOnly home: String) throws {
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: home)
        for name in try files.contentsOfDirectory(atPath: home) {
            let path = home + "/" + name
            var isFolder: ObjCBool = false
            _ = files.fileExists(atPath: path, isDirectory: &isFolder)
            try files.setAttributes(
                [.posixPermissions: isFolder.boolValue ? 0o555 : 0o444], ofItemAtPath: path)
        }
    }
}
