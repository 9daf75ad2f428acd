internal import Base
internal import HubProtocol
internal import MachineRuntime
internal import Neighbours
internal import PinnedTLS
internal import Synchronization

/// What this till requests of others, each over a connection of its own.
extension NeighbourRun {
    /// Brings a piece to a keeper.
    @Sendable func deliver(
        _ piece: [UInt8], to neighbour: PieceNeighbour
    ) async -> PieceKeeper.Answer? {
        let document = await response(
            to: .piece(piece), of: neighbour.terminalId, at: neighbour.address)
        let receipt = document.flatMap { try? PieceReceipt(json: $0) }
        return receipt.flatMap { PieceKeeper.Answer(rawValue: $0.answer) }
    }

    /// Requests notes of a neighbour.
    @Sendable func pull(_ terminalId: String, _ request: NotePageRequest) async -> NotePage? {
        guard let way = driver.withMachine({ $0.way(to: terminalId) }),
            let address = SocketAddress(way, defaultPort: NeighbourLimits.port)
        else { return nil }
        return await response(
            to: .request(NotePageRequest.path, request.json), of: terminalId, at: address
        ).flatMap { try? NotePage(json: $0) }
    }

    /// Where a till that is not silent can be requested.
    private func place(of terminalId: String) -> SocketAddress? {
        let way = driver.withMachine { watch -> String? in
            let neighbour = watch.neighbours.first { $0.terminalId == terminalId }
            guard let neighbour, watch.state(of: neighbour) == .reachable else { return nil }
            return watch.way(to: terminalId)
        }
        return way.flatMap { SocketAddress($0, defaultPort: NeighbourLimits.port) }
    }

    /// Where a till is requested that somebody waits for.
    func promptPlace(of terminalId: String) -> SocketAddress? {
        let heardAt = driver.withMachine { watch in
            watch.neighbours.first { $0.terminalId == terminalId }?.heardAt
        }
        let now = around.time.now()
        let isSilent = silences.withLock { $0.isSilent(terminalId, heardAt: heardAt, at: now) }
        return isSilent ? nil : place(of: terminalId)
    }

    /// A till let a request wait for its whole time.
    func noteSilence(of terminalId: String) {
        let now = around.time.now()
        silences.withLock { $0.noteSilence(of: terminalId, at: now) }
    }

    /// Requests what is in a parked cart.
    @Sendable func fetch(_ owner: String, _ request: CartRequest) async -> CartContentResponse? {
        guard let address = place(of: owner) else { return nil }
        return await response(
            to: .request(CartRequest.path, request.json), of: owner, at: address,
            within: NeighbourLimits.claimWait
        ).flatMap { try? CartContentResponse(json: $0) }
    }

    /// Brings a claim to its owner, unless it is silent.
    @Sendable func claim(
        _ claim: RightClaim, of owner: String
    ) async -> (ClaimResponse?, others: [NeighbourNote]) {
        guard let address = promptPlace(of: owner) else { return (nil, []) }
        let end = around.time.now() + NeighbourLimits.claimWait
        async let others = claim.kind == RightKind.lease.rawValue ? notes(of: owner) : []
        let document = await response(
            to: .request(RightClaim.path, claim.json), of: owner, at: address,
            within: NeighbourLimits.claimWait)
        if document != nil {
            silences.withLock { $0.noteResponse(of: owner) }
        } else if around.time.now() >= end {
            noteSilence(of: owner)
        }
        return (document.flatMap { try? ClaimResponse(json: $0) }, await others)
    }

    /// Notes of a till that others have and this till does not yet; a sale waits for the claim beside it.
    private func notes(of maker: String) async -> [NeighbourNote] {
        let known = around.notes?.heads.filter { $0.terminalId == maker }.max { $0.epoch < $1.epoch }
        let epoch = driver.withMachine { $0.neighbours.first { $0.terminalId == maker }?.head?.epoch }
        let request = NotePageRequest(
            terminalId: maker, epoch: known?.epoch ?? epoch ?? 1, after: known?.number ?? 0)
        return await withTaskGroup(of: [NeighbourNote].self) { [self] group in
            for case (let till, let address?) in tills.keys.map({ ($0, promptPlace(of: $0)) })
            where till != maker {
                group.addTask { [self] in
                    let end = around.time.now() + settings.wait / 2
                    let document = await response(
                        to: .request(NotePageRequest.path, request.json), of: till, at: address,
                        within: settings.wait / 2)
                    if document == nil, around.time.now() >= end { noteSilence(of: till) }
                    let page = document.flatMap { try? NotePage(json: $0) }
                    return page?.notes.compactMap { try? NeighbourNote(json: $0) } ?? []
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// The response of a till to a request over a connection of its own: hellos wait for none of them.
    private func response(
        to request: NeighbourMessage, of terminalId: String, at address: SocketAddress,
        within wait: Duration = NeighbourLimits.pieceExchange
    ) async -> JSONValue? {
        let end = around.time.now() + wait
        guard
            let stream = try? await around.network.connect(
                to: address, as: identity, until: end,
                accepts: { [self] in $0.name == terminalId && accepts($0) })
        else { return nil }
        let connection = NeighbourConnection(stream, to: terminalId)
        let response = try? await connection.exchange(request, until: end)
        await connection.close()
        return response.flatMap { $0.isGood ? $0.document : nil }
    }
}
