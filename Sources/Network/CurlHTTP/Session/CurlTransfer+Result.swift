import Base

internal import CLibcurl
internal import OfflineCore
internal import LinuxRuntime

/// Translates libcurl's end of a transfer.
extension CurlTransfer {
    /// The first byte, the connection and the result are final; calls the completion.
    func finish(_ result: Result<HTTPResponse, TransferFailure>) {
        timings.finishedAt = LinuxSystemTime().now()
        let completion = self.completion.take()
        completion?(HTTPExchange(result: result, timings: timings))
    }

    func result(of code: CURLcode) -> Result<HTTPResponse, TransferFailure> {
        if let refusal { return .failure(refusal) }
        guard code == CURLE_OK else { return .failure(failure(of: code)) }
        // A connection that is closed within the headers is a success to libcurl, with what arrived before.
        guard hasAllHeaders else { return .failure(.responseCutOff) }
        var status = 0
        if let easy { _ = ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status) }
        return .success(HTTPResponse(status: status, headers: headers, body: outline?.bytes ?? body))
    }

    var phase: DeadlinePhase {
        if timings.firstByteAt != nil { return .receiving }
        if standsSince != nil { return .waiting }
        return microseconds(of: CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .connecting : .resolving
    }

    func readConnectionFacts() {
        guard let easy else { return }
        var made = 0
        _ = ccurl_get_long(easy, CURLINFO_NUM_CONNECTS, &made)
        timings.reusedConnection = timings.connectedAt != nil && made == 0
        guard request.readsCertificate, let end = ccurl_certificate_end(easy) else { return }
        timings.certificateEnd = String(cString: end)
    }

    /// Looks at what has moved on the open connection: reports bytes that move, and once that nothing did
    /// for `interval` before the first byte of a response.
    func look(every interval: Duration, at now: Instant) {
        guard isWatched, let standsSince, progress.nextLook.map({ now >= $0 }) ?? true else { return }
        let moved = ccurl_movement_of(socket)
        let look = progress.look(
            openSince: standsSince, every: interval, bytes: moved.bytes,
            movedAt: now - .milliseconds(moved.milliseconds_ago), at: now)
        switch look {
        case .notDue: break
        case .moves(let since): onMove?(since)
        case .stands:
            guard timings.firstByteAt == nil, !hasReportedStall else { return }
            hasReportedStall = true
            onStall?(timings.startedAt)
        }
    }

    /// When the loop has to check this transfer without an event on its socket.
    func nextCheck(every interval: Duration) -> Instant {
        guard isWatched else { return deadline }
        return min(deadline, progress.nextLook ?? (standsSince ?? LinuxSystemTime().now()) + interval)
    }

    private var isWatched: Bool {
        let awaitsStall = onStall != nil && !hasReportedStall && timings.firstByteAt == nil
        return awaitsStall || onMove != nil || request.longestWhileMoving != nil
    }

    /// Since when the connection is open. TCP counts, since a TLS handshake that hangs is silence as well.
    private var standsSince: Instant? { timings.connectedAt ?? reachedAt }

    /// Checks after each call of libcurl whether TCP has connected: libcurl reports the local port from then
    /// on, and the time of connecting only after the TLS handshake.
    func noteReached(at now: Instant) {
        guard reachedAt == nil, let easy else { return }
        var port = 0
        _ = ccurl_get_long(easy, CURLINFO_LOCAL_PORT, &port)
        if port > 0 { reachedAt = now }
    }

    private func microseconds(of info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        if let easy { _ = ccurl_get_large(easy, info, &value) }
        return Int64(value)
    }

    private func failure(of code: CURLcode) -> TransferFailure {
        switch code {
        case CURLE_URL_MALFORMAT: .notSendable(detail: "the URL cannot be read")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            timings.connectedAt == nil
                ? .notSendable(detail: "only http and https are supported")
                : .responseMalformed(detail: words(code))
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameNotResolved
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: .notConnected
        case CURLE_OPERATION_TIMEDOUT: timeout
        case CURLE_PEER_FAILED_VERIFICATION: .certificateRefused(certificateFault)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            .tlsFailed(detail: words(code))
        case CURLE_PARTIAL_FILE: .responseCutOff
        case CURLE_FILESIZE_EXCEEDED: .responseTooLarge
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: .connectionBroken
        default:
            timings.firstByteAt == nil ? .connectionBroken : .responseMalformed(detail: words(code))
        }
    }

    /// libcurl's own timeout is the connection's; the request's deadline is kept by the loop.
    private var timeout: TransferFailure {
        switch phase {
        case .resolving: .nameNotResolved
        case .connecting: .connectTimedOut
        case .waiting, .receiving: .deadlinePassed(phase)
        }
    }

    private var certificateFault: CertificateFault {
        var reason = 0
        if let easy { _ = ccurl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &reason) }
        switch reason {
        // X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED of OpenSSL.
        case 9, 10: return .outOfValidity
        // The chain is valid: libcurl refused the name before its call of OpenSSL (0 or its own 1), or
        // OpenSSL did (X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH).
        case 0, 1, 62, 64: return .otherName
        default: return .foreign
        }
    }

    private func words(_ code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }
}
