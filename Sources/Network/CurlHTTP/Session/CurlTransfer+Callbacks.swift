internal import CLibcurl
internal import OfflineCore
internal import LinuxRuntime

/// What libcurl calls while a transfer runs, on the loop's thread.
extension CurlTransfer {
    func setCallbacks(of easy: UnsafeMutableRawPointer) {
        // The loop keeps the transfer for as long as the handle exists, so no reference is counted here.
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        _ = ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        _ = ccurl_set_pointer(easy, CURLOPT_PREREQDATA, context)
        _ = ccurl_set_data_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlTransfer.from(context)?.takeBody(bytes, count: size * count) ?? 0
        }
        _ = ccurl_set_data_function(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            CurlTransfer.from(context)?.takeHeader(bytes, count: size * count) ?? 0
        }
        _ = ccurl_set_connected_function(easy) { context, _, _, _, _ in
            CurlTransfer.from(context)?.timings.connectedAt = LinuxSystemTime().now()
            return CURL_PREREQFUNC_OK
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Returning less than `count` makes libcurl end the transfer.
    private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
        guard let bytes else { return 0 }
        bodyBytes += count
        let chunk = UnsafeRawBufferPointer(start: bytes, count: count)
        guard bodyBytes <= request.maximumBodyBytes, outline?.take(chunk) ?? true else {
            refusal = .responseTooLarge
            return 0
        }
        if outline == nil { body.append(contentsOf: chunk) }
        return count
    }

    private func takeHeader(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
        if timings.firstByteAt == nil { timings.firstByteAt = LinuxSystemTime().now() }
        headerBytes += count
        guard let bytes, headerBytes <= Self.maximumHeaderBytes else {
            refusal = .responseMalformed(detail: "more than 64 KiB of headers")
            return 0
        }
        let raw = UnsafeRawBufferPointer(start: bytes, count: count)
        let line = String(decoding: raw, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // A `100 Continue` before the response has headers of its own.
            headers.removeAll()
            hasAllHeaders = false
        } else if line.allSatisfy(\.isNewline) {
            hasAllHeaders = true
        } else if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let value = line[line.index(after: colon)...].trimmed
            headers.append(HTTPHeader(String(line[..<colon]), value))
        }
        return count
    }
}

extension Substring {
    /// Without white space and line ends around it.
    package var trimmed: String {
        var rest = self
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
