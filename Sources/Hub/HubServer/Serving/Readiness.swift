/// Announces the public address once every listener accepts requests, so that its reader can use them all.
actor Readiness {
    private var awaited: Int
    private var address: String?
    private let announce: @Sendable (String) -> Void

    init(awaited: Int, announce: @escaping @Sendable (String) -> Void) {
        self.awaited = awaited
        self.announce = announce
    }

    func listens(_ address: String, isPublic: Bool) {
        if isPublic { self.address = address }
        awaited -= 1
        if awaited == 0, let address = self.address { announce(address) }
    }
}
