import Base

internal import CLibcurl
internal import OfflineCore

/// Builds the libcurl handle of a request.
extension CurlTransfer {
    /// A handle with every option set; released with ``releaseHandle()``.
    func makeHandle(
        configuration: CurlSessionConfiguration, segments: TCPSegments = .full,
        binding: PathBinding = .routed, connectionsValidFrom: Instant?, addressesValidFrom: Instant?
    ) throws(TransferFailure) -> UnsafeMutableRawPointer {
        guard let easy = curl_easy_init() else {
            throw .notSendable(detail: "libcurl has no memory for a request")
        }
        self.easy = easy
        do throws(TransferFailure) {
            try setTarget(of: easy)
            try setHeaders(of: easy, userAgent: configuration.userAgent)
            setBody(of: easy)
            setSafety(of: easy, caFile: configuration.caFile)
            setConnection(of: easy, request.segments ?? segments, validFrom: connectionsValidFrom)
            setResolving(of: easy, validFrom: addressesValidFrom)
            setPath(of: easy, request.binding ?? binding)
            setCallbacks(of: easy)
        } catch {
            releaseHandle()
            throw error
        }
        return easy
    }

    func releaseHandle() {
        if let easy { curl_easy_cleanup(easy) }
        if let headerList { curl_slist_free_all(headerList) }
        if let hostList { curl_slist_free_all(hostList) }
        easy = nil
        headerList = nil
        hostList = nil
    }

    private func setTarget(of easy: UnsafeMutableRawPointer) throws(TransferFailure) {
        guard request.url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw .notSendable(detail: "the URL holds a space or a control character")
        }
        // libcurl would guess a missing scheme from the host's name.
        let scheme = request.url.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw .notSendable(detail: "only http and https are supported")
        }
        _ = ccurl_set_text(easy, CURLOPT_URL, request.url)
        _ = ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        _ = ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        guard let path = request.unixSocketPath else { return }
        guard !path.isEmpty, path.utf8.count < 108 else {
            throw .notSendable(detail: "a Unix socket's path has 1 to 107 bytes")
        }
        _ = ccurl_set_text(easy, CURLOPT_UNIX_SOCKET_PATH, path)
    }

    private func setHeaders(
        of easy: UnsafeMutableRawPointer, userAgent: String
    ) throws(TransferFailure) {
        // Without this a body over 1 MiB waits a second for `100 Continue`.
        headerList = curl_slist_append(nil, "Expect:")
        for header in request.headers {
            guard header.isSendable else {
                throw .notSendable(detail: "the header \(header.name) holds a control character")
            }
            let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
            guard let longer = curl_slist_append(headerList, line) else {
                throw .notSendable(detail: "libcurl has no memory for a header")
            }
            headerList = longer
        }
        _ = ccurl_set_list(easy, CURLOPT_HTTPHEADER, headerList)
        _ = ccurl_set_text(easy, CURLOPT_USERAGENT, userAgent)
    }

    private func setBody(of easy: UnsafeMutableRawPointer) {
        switch request.method {
        case .get: _ = ccurl_set_long(easy, CURLOPT_HTTPGET, 1)
        case .head: _ = ccurl_set_long(easy, CURLOPT_NOBODY, 1)
        case .post: _ = ccurl_set_long(easy, CURLOPT_POST, 1)
        case .put, .delete: break
        }
        if let body = request.body ?? (request.method == .post ? [] : nil) {
            _ = ccurl_set_large(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            body.withUnsafeBytes {
                // An empty array has no address, and no address would mean "read the body from a callback".
                var nothing: UInt8 = 0
                let bytes = $0.baseAddress
                if let bytes {
                    _ = ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, bytes)
                } else {
                    _ = ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, &nothing)
                }
            }
        }
        _ = ccurl_set_text(
            easy, CURLOPT_CUSTOMREQUEST, request.method == .head ? nil : request.method.rawValue)
    }

    private func setSafety(of easy: UnsafeMutableRawPointer, caFile: String?) {
        _ = ccurl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
        _ = ccurl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
        // Set here, since a system's own default may be older (RFC 8996 deprecates the versions before 1.2).
        _ = ccurl_set_long(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let caFile {
            _ = ccurl_set_text(easy, CURLOPT_CAINFO, caFile)
            // Otherwise a libcurl that was built with a folder of roots also trusts that folder.
            _ = ccurl_set_text(easy, CURLOPT_CAPATH, nil)
        }
        if request.readsCertificate { _ = ccurl_set_long(easy, CURLOPT_CERTINFO, 1) }
        _ = ccurl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        _ = ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        _ = ccurl_set_text(easy, CURLOPT_NOPROXY, "*")
        _ = ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        // Without this, taking a request off while its name is being resolved waits for the resolver.
        _ = ccurl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        _ = ccurl_set_large(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(request.maximumBodyBytes))
    }

    private func setConnection(
        of easy: UnsafeMutableRawPointer, _ segments: TCPSegments, validFrom: Instant?
    ) {
        _ = ccurl_open_sockets(easy, segments.bytes, request.addresses.rawValue)
        let milliseconds = max(1, request.connectTimeout.wholeMilliseconds)
        _ = ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(milliseconds))
        _ = ccurl_set_long(easy, CURLOPT_TCP_NODELAY, 1)
        if request.usesFreshConnection {
            _ = ccurl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
            _ = ccurl_set_long(easy, CURLOPT_FORBID_REUSE, 1)
        }
        guard let validFrom else { return }
        // libcurl counts a connection's age in full seconds, and 0 would mean "without limit".
        let seconds = (timings.startedAt - validFrom).components.seconds
        if seconds > 0 {
            _ = ccurl_set_long(easy, CURLOPT_MAXLIFETIME_CONN, Int(seconds))
        } else {
            _ = ccurl_set_long(easy, CURLOPT_FRESH_CONNECT, 1)
        }
    }

    /// A request to a place of its own is not one to the hub, and is not pinned. A pinned request leaves by
    /// its interface alone. The certificate still has to be the name's.
    private func setPath(of easy: UnsafeMutableRawPointer, _ binding: PathBinding) {
        if let place = request.place {
            let host = place.host.contains(":") ? "[\(place.host)]" : place.host
            hostList = curl_slist_append(nil, "::\(host):\(place.port)")
            _ = ccurl_set_list(easy, CURLOPT_CONNECT_TO, hostList)
            return
        }
        guard case .pinned(let interface, let host, let address) = binding else { return }
        _ = ccurl_set_text(easy, CURLOPT_INTERFACE, "if!\(interface)")
        guard host != address else { return }
        let place = address.contains(":") ? "[\(address)]" : address
        // Of any port to the same one; other hosts are resolved as ever.
        hostList = curl_slist_append(nil, "\(host)::\(place):")
        _ = ccurl_set_list(easy, CURLOPT_CONNECT_TO, hostList)
    }

    /// Excludes addresses that were resolved before `validFrom`; a probe uses only one that it resolves
    /// itself: libcurl keeps addresses for a minute, also those of servers that no longer respond.
    private func setResolving(of easy: UnsafeMutableRawPointer, validFrom: Instant?) {
        if request.usesFreshConnection {
            _ = ccurl_set_long(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0)
        } else if let validFrom {
            // Full seconds, as libcurl counts them; 0 uses no earlier address.
            let seconds = (timings.startedAt - validFrom).components.seconds
            _ = ccurl_set_long(
                easy, CURLOPT_DNS_CACHE_TIMEOUT, Int(min(Self.longestAddressLife, max(0, seconds))))
        }
    }

    /// libcurl's own default, in seconds. Half resolves the hub's name twice as often on an idle terminal;
    /// double finds a hub a minute later after it moved while its old address still responds.
    private static let longestAddressLife: Int64 = 60
}

extension HTTPHeader {
    /// Whether neither part contains a line break.
    fileprivate var isSendable: Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
