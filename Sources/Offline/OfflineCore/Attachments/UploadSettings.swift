/// The numbers of the uploads.
public struct UploadSettings: Hashable, Sendable {
    /// The first chunk of a run, in bytes; doubled with each that came through. Default 256 KiB.
    public var firstChunk: Int64
    /// The smallest chunk after trouble, in bytes. Default 16 KiB.
    public var smallestChunk: Int64
    /// The largest chunk while the link is degraded, in bytes. Default 64 KiB.
    public var degradedChunk: Int64
    /// How often the permission is checked again while it prevents an upload: quiet hours and the battery
    /// change without an event. Default 60 s.
    public var permissionInterval: Duration
    /// Backoffs, as those of the outbox.
    public var outbox: OutboxSettings

    /// Every number has its default; the arguments are not checked.
    public init(
        firstChunk: Int64 = 256 << 10, smallestChunk: Int64 = 16 << 10, degradedChunk: Int64 = 64 << 10,
        permissionInterval: Duration = .seconds(60), outbox: OutboxSettings = OutboxSettings()
    ) {
        self.firstChunk = firstChunk
        self.smallestChunk = smallestChunk
        self.degradedChunk = degradedChunk
        self.permissionInterval = permissionInterval
        self.outbox = outbox
    }
}
