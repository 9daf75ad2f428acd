/// In the place of a card machine that is not configured any more: what is open of it is for people, and what
/// it would have to give back is owed.
package struct FormerCardMachine: DeviceAdapter {
    /// Said of it nowhere: requests name the machine that they went to.
    package let kind = DeviceKind.simulated
    package let address = ""
    package let abilities: Set<DeviceAbility> = []
    private static let reason = "the card machine is not configured any more"

    package init() {}

    /// Opens nothing: it is not there.
    package func perform(
        _ request: DeviceRequest, original: DeviceProof?, _ steps: DeviceSteps
    ) async -> DeviceResponse { .declined(reason: Self.reason) }

    package func find(
        _ request: DeviceRequest, original: DeviceProof?, silence: Duration
    ) async -> DeviceFinding { .undecidable(detail: Self.reason) }

    package func look(currency: String) async -> DeviceLook { DeviceLook(trouble: .unreachable) }

    package func closeDay(currency: String) async -> Result<ClosedDeviceDay, DeviceTrouble> {
        .failure(.unreachable)
    }
}
