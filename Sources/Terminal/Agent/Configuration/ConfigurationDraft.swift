internal import Foundation
internal import HubProtocol
internal import TerminalStore

/// Writes the hub's address, and whom to trust for it, into the configuration file, keeping what else stands
/// in it.
struct ConfigurationDraft {
    let path: String

    func write(hubURL: String, allowInsecure: Bool, caFile: String?) throws(TerminalError) {
        try changeHub { hub in
            hub["url"] = .string(hubURL)
            if allowInsecure { hub["allowInsecure"] = true }
            if let caFile { hub["caFile"] = .string(caFile) }
        }
    }

    /// Whom the file trusts for the hub; nil: the system's authorities.
    var caFile: String? {
        (try? ConfigurationFile(path: path))?.document["hub"]?["caFile"]?.string
    }

    /// Trusts `caFile` again, as before an enrolment that came to nothing.
    func takeBack(caFile: String?) throws(TerminalError) {
        try changeHub { $0["caFile"] = caFile.map(JSONValue.string) }
    }

    private func changeHub(_ change: (inout JSONObject) -> Void) throws(TerminalError) {
        var document: JSONObject = [:]
        if FileManager.default.fileExists(atPath: path) {
            document = try ConfigurationFile(path: path).document.object ?? [:]
        }
        var hub = document["hub"]?.object ?? [:]
        change(&hub)
        document["hub"] = .object(hub)
        let bytes = Array((JSONValue.object(document).canonicalText + "\n").utf8)
        let name = (path as NSString).lastPathComponent + ".new"
        do throws(FileError) {
            try DurableFile.replace(path, with: bytes, temporaryName: name)
        } catch {
            throw TerminalError(.unusable, code: "home_not_writable") {
                $0.configurationNotWritten("\(error)")
            }
        }
    }
}
