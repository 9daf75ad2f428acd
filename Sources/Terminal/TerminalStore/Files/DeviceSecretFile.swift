internal import Credentials

/// `<home>/device.secret`: the key under which PINs are kept in the database. It is outside the database, so
/// that no copy and no export of the database contains it.
struct DeviceSecretFile: Sendable {
    let path: String
    private let home: String

    init(home: String) {
        self.home = home
        path = home + "/device.secret"
    }

    /// The secret; a missing one is created, and a malformed one goes to quarantine and is replaced: the PINs
    /// that were kept under it come again with the next pull.
    func load() throws(FileError) -> DeviceSecret {
        switch DurableFile.read(path) {
        case .bytes(let bytes):
            if let secret = DeviceSecret(bytes) { return secret }
            try QuarantineFolder(home: home).moveIn(path)
        case .unreadable: throw FileError(path: path, call: "read", code: 0)
        case .absent: break
        }
        let secret = DeviceSecret()
        try DurableFile.replace(path, with: secret.bytes, temporaryName: ".device.secret.tmp")
        return secret
    }
}
