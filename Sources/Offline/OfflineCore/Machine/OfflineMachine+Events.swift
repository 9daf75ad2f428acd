import Base

/// Which detector is notified of which event.
extension OfflineMachine {
    mutating func apply(
        _ event: OfflineEvent, at now: Instant, _ effects: inout [OfflineEffect],
        responses: inout [OfflineEffect]
    ) {
        switch event {
        case .requestFinished(let outcome): finished(outcome, at: now, &effects)
        case .requestStalled(let api, let startedAt):
            stalls.stalled(api, startedAt: startedAt)
            notifyNetwork(.failureObserved(.requestStalled, startedAt: startedAt), at: now, &effects)
        case .pingFinished(let tag, let result):
            notifyNetwork(.pingFinished(tag, result), at: now, &effects)
        case .probeFinished(let tag, let target, let result):
            sample(target, result, at: now)
            notifyNetwork(.probeFinished(tag, target, result), at: now, &effects)
        case .pathChanged(let status): notifyNetwork(.pathChanged(status), at: now, &effects)
        case .deadlineReached:
            notifyNetwork(.deadlineReached, at: now, &effects)
            notifyServices(.deadlineReached, at: now, &effects)
        case .manualRequested(let request): responses += manual.requested(request)
        case .manualFlagSaved(let ticket): responses += manual.saved(ticket: ticket)
        case .manualFlagSaveFailed(let ticket, let error):
            responses += manual.saveFailed(ticket: ticket, error)
        case .qosResponded(let response, let tag, let sentAt):
            notifyServices(.qosResponded(response, tag: tag, sentAt: sentAt), at: now, &effects)
        case .qosFailed(let tag): notifyServices(.qosFailed(tag: tag), at: now, &effects)
        case .canaryFinished(let service, let tag, let good):
            notifyServices(.canaryFinished(service: service, tag: tag, good: good), at: now, &effects)
        case .retryRequested:
            notifyNetwork(.retryRequested, at: now, &effects)
            notifyServices(.retryRequested, at: now, &effects)
        case .settingsChanged(let settings): take(settings)
        case .clockGapObserved(let gap):
            guard gap > network.settings.clockTolerance else { return }
            timeUnwatched(.suspended, at: now, &effects)
        }
    }

    private mutating func take(_ settings: OfflineSettings) {
        network.take(settings.network)
        services.settings = settings.service
        if quality.settings != settings.quality { quality = LinkQuality(settings: settings.quality) }
    }

    mutating func timeUnwatched(_ gap: UnwatchedTime, at now: Instant, _ effects: inout [OfflineEffect]) {
        quality.dropSamples()
        notifyNetwork(.timeUnwatched(gap), at: now, &effects)
    }

    /// Notifies the network detector, and the service detector when the network became reachable or was lost.
    private mutating func notifyNetwork(
        _ event: NetworkEvent, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        let wasReachable = network.isReachable
        let wasConfirmed = network.networkCauseHolds || network.backendCauseHolds
        for effect in network.handle(event, at: now) {
            switch effect {
            case .sendPing(let tag):
                effects.append(.sendPing(tag, timeout: network.settings.pingTimeout))
            case .sendProbe(let tag, let target, let timeout):
                effects.append(.sendProbe(tag, target, timeout: timeout))
            }
        }
        switch (wasReachable, network.isReachable) {
        case (false, true):
            // The recovery hold has proved the path; samples of the outage say nothing about it.
            if wasConfirmed { quality = LinkQuality(settings: quality.settings) }
            notifyServices(.networkBecameReachable, at: now, &effects)
        case (true, false): notifyServices(.networkLost, at: now, &effects)
        case (true, true), (false, false): break
        }
    }

    mutating func notifyServices(
        _ event: ServiceEvent, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        for effect in services.handle(event, at: now) {
            switch effect {
            case .queryQoS(let tag, let services): effects.append(.queryQoS(tag: tag, services: services))
            case .reportQoS(let tag, let report): effects.append(.reportQoS(tag: tag, report))
            case .sendCanary(let tag, let service):
                effects.append(.sendCanary(tag: tag, service: service))
            case .paceResume(let service, let pace):
                effects.append(.paceResume(service: service, pace))
            }
        }
    }

    /// An outcome is evidence on the network first, so that the services are judged by the state after it.
    private mutating func finished(
        _ request: RequestOutcome, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        switch request.outcome {
        case .network where request.api.isOfQoS:
            notifyNetwork(.queryWithoutResponse(startedAt: request.startedAt), at: now, &effects)
            return
        case .network(.silent):
            quality.note(latency: nil, at: now)
            // The confirmation round decides whether the network or the service was silent.
            guard stalls.endedSilently(request.api, startedAt: request.startedAt) else { return }
            let evidence = NetworkEvidence.requestFailed(.silent)
            notifyNetwork(.failureObserved(evidence, startedAt: request.startedAt), at: now, &effects)
            return
        case .network(let failure):
            quality.note(latency: nil, at: now)
            let evidence = NetworkEvidence.requestFailed(failure)
            notifyNetwork(.failureObserved(evidence, startedAt: request.startedAt), at: now, &effects)
        case .portal(let portal):
            quality.note(latency: nil, at: now)
            let evidence = NetworkEvidence.requestPortal(portal)
            notifyNetwork(.failureObserved(evidence, startedAt: request.startedAt), at: now, &effects)
        case .service(.timedOutAfterConnect):
            quality.note(latency: nil, at: now)
        case .success, .business:
            account = .fine
            endThrottle(by: request.api)
            responded(request, isWell: true, at: now, &effects)
        case .auth:
            account = .blocked
            responded(request, isWell: false, at: now, &effects)
        case .throttle(let retryAfter):
            throttle(for: retryAfter ?? Self.unnamedRetryAfter, by: request.api, at: now)
            responded(request, isWell: false, at: now, &effects)
        case .service(.status), .service(.brokenBody):
            if let retryAfter = request.retryAfter { throttle(for: retryAfter, by: request.api, at: now) }
            responded(request, isWell: false, at: now, &effects)
        case .cancelled:
            stalls.endedOtherwise(request.api, startedAt: request.startedAt)
            return
        }
        if !stalls.isEmpty { stalls.endedOtherwise(request.api, startedAt: request.startedAt) }
        book(request, at: now, &effects)
    }

    private mutating func responded(
        _ request: RequestOutcome, isWell: Bool, at now: Instant, _ effects: inout [OfflineEffect]
    ) {
        let firstByteAt = request.firstByteAt ?? request.finishedAt
        let latency = firstByteAt - request.startedAt
        quality.note(latency: latency, at: now)
        notifyNetwork(
            .responseObserved(firstByteAt: firstByteAt, latency: latency, isWell: isWell), at: now, &effects)
    }

    private mutating func sample(_ target: ProbeTarget, _ result: ProbeResult, at now: Instant) {
        guard target == .hub else { return }
        switch result {
        case .good(let roundTrip): quality.note(latency: roundTrip, at: now)
        case .respondedBadly(let status, let roundTrip):
            quality.note(latency: roundTrip, at: now)
            if status == 429 { throttle(for: Self.unnamedRetryAfter, by: nil, at: now) }
        case .failed, .portal: quality.note(latency: nil, at: now)
        }
    }

    /// The hub sent `Retry-After`: a constrained path for so long, and no outage. The wait of a core service
    /// is not shortened by the wait of another call.
    private mutating func throttle(for wait: Duration, by api: APIRoute?, at now: Instant) {
        let service = api.flatMap { services.coreService(of: $0) }
        if let throttle, throttle.service != nil, service == nil { return }
        throttle = Throttle(until: now + Backoff.clamp(wait), service: service)
    }

    private mutating func endThrottle(by api: APIRoute) {
        guard let service = throttle?.service else {
            throttle = nil
            return
        }
        if service == services.coreService(of: api) { throttle = nil }
    }

    /// How long a 429 without `Retry-After` counts. Halved, a busy hub gets twice the calls; doubled, sync
    /// stays reduced for a minute.
    private static let unnamedRetryAfter = Duration.seconds(30)

    /// Counts the stalls once the confirmation round has decided where they belong.
    mutating func bookStalls(at now: Instant, _ effects: inout [OfflineEffect]) {
        let booked: OutcomeClass
        switch network.phase {
        case .suspect: return
        case .reachable: booked = .service(.timedOutAfterConnect)
        // A dark hub is the network detector's result: it trips no service.
        case .unreachable, .backendDown, .recovering: booked = .network(.silent)
        }
        for api in stalls.decide() {
            if case .service(let failure) = booked, let service = services.coreService(of: api) {
                _ = failing.note(service, failure.reason)
            }
            notifyServices(.outcomeObserved(api: api, outcome: booked), at: now, &effects)
        }
    }
}
