internal import HubCore
internal import HubProtocol

/// `POST /v1/enrolment-codes`: codes for the tills of a store, for a program that provisions them.
struct EnrolmentCodeRoutes: Sendable {
    let service: LedgerService
    let log: OperatorLog

    var routes: [Route] {
        [Route(.post, Routes.enrolmentCodes, .operator(.mintEnrolmentCodes), parameters: [], response: mint)]
    }

    private static let members = KnownNames.members("storeId", "count", "lifetimeMs")

    @Sendable private func mint(_ request: HubRequest) async throws -> HubResponse {
        let person = try request.requireOperator()
        let body = try await request.json()
        try Self.members.check((body.object ?? [:]).keys.sorted())
        let wanted = try (
            storeId: Problem.reading(body.requiredString("storeId")),
            count: Problem.reading(body.requiredInteger("count", in: EnrolmentCode.counts)),
            lifetime: Problem.reading(body.optionalInteger("lifetimeMs", in: EnrolmentCode.lifetimes))
                ?? EnrolmentCode.usualLifetime
        )
        let codes = try await service.mintCodes(wanted.count, wanted.storeId, wanted.lifetime)
        await log.record(
            .mintCodes, by: person, subject: wanted.storeId, detail: EnrolmentCode.act(making: wanted.count)
        )
        return .json(["codes": .array(codes)], status: 201).with("Cache-Control", "no-store")
    }
}
