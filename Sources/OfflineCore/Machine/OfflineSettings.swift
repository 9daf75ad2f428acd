/// The numbers of all three causes.
public struct OfflineSettings: Hashable, Codable, Sendable {
    public var network: NetworkSettings
    public var quality: QualitySettings
    public var service: ServiceSettings

    public init(
        network: NetworkSettings = NetworkSettings(), quality: QualitySettings = QualitySettings(),
        service: ServiceSettings = ServiceSettings()
    ) {
        self.network = network
        self.quality = quality
        self.service = service
    }
}
