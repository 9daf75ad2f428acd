import Base

internal import Foundation
internal import Glibc
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization
internal import OfflineCore
internal import LinuxRuntime
internal import MachineRuntime

/// Why the hub's certificate or its key cannot be used.
enum CertificateError: Error, Equatable, CustomStringConvertible {
    /// Anybody on this machine could serve in the hub's place.
    case readableByOthers(path: String)
    case unreadable(path: String, reason: String)
    /// The key is another certificate's: no handshake would succeed.
    case mismatched(certificate: String, key: String)
    /// It is not valid now, and the one before is.
    case notValidNow(certificate: String, from: Int64, to: Int64)

    var description: String {
        switch self {
        case .readableByOthers(let path):
            "the TLS key \(path) can be read by every user of this machine; run: chmod o-rwx \(path)"
        case .unreadable(let path, let reason): "the TLS file \(path) cannot be used: \(reason)"
        case .mismatched(let certificate, let key):
            "the TLS key \(key) does not belong to the certificate \(certificate); put both of one pair there"
        case .notValidNow(let certificate, let from, let to):
            "the TLS certificate \(certificate) is valid from \(Timestamp.text(milliseconds: from)) to "
                + "\(Timestamp.text(milliseconds: to)), and not now; put the renewed pair there"
        }
    }
}

/// The certificate chain and key that the hub serves TLS with, read again when the files change: a renewed
/// certificate needs no restart. A pair counts once both files are of it: until then, and while a file cannot
/// be used, the one before serves on.
final class CertificateFiles: Sendable {
    private struct Loaded {
        var chain: [NIOSSLCertificateSource]
        var key: NIOSSLPrivateKeySource
        /// When the last certificate of the chain to become valid does, in milliseconds since 1970.
        var begin: Int64
        /// When the first certificate of the chain to end does, in milliseconds since 1970.
        var end: Int64
        /// Of both files, when they were read.
        var changedAt: [Int64]
        /// Of files that could not be used, so that each such state is logged once.
        var refusedAt: [Int64]?
        /// When a refused pair becomes valid, in milliseconds since 1970; nil: not by time.
        var validFrom: Int64?
        /// Seconds of the monotonic clock, when the files were last looked at.
        var lookedAt: Int

        func isValid(at now: Int64) -> Bool { begin <= now && now < end }
    }

    private let files: TLSFiles
    private let loaded: Mutex<Loaded>
    private let logger: Logger
    private let now: @Sendable () -> Int64

    /// - Parameter now: milliseconds since 1970.
    /// - Throws: ``CertificateError``.
    init(
        _ files: TLSFiles, now: @escaping @Sendable () -> Int64 = { LinuxSystemTime.hub.wallMilliseconds() },
        logger: Logger
    ) throws(CertificateError) {
        self.files = files
        self.logger = logger
        self.now = now
        loaded = Mutex(try Self.load(files))
    }

    /// When the chain in use ends, in milliseconds since 1970.
    var end: Int64 { loaded.withLock { $0.end } }

    /// TLS 1.2 and up; with 1.2 key agreement by ECDHE and authenticated encryption alone (RFC 9325, section
    /// 4.2), so that a key that is stolen later opens no recorded connection.
    func configuration() -> TLSConfiguration {
        let first = loaded.withLock { $0 }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: first.chain, privateKey: first.key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        configuration.sslContextCallback = { [self] _, promise in
            var override = NIOSSLContextConfigurationOverride()
            let current = current()
            override.certificateChain = current.chain
            override.privateKey = current.key
            promise.succeed(override)
        }
        return configuration
    }

    /// What the files hold now, or the last good pair.
    private func current() -> (chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource) {
        loaded.withLock { state in
            let now = Self.monotonicSeconds()
            // Once a second at most: a handshake must not cost system calls that an attacker multiplies.
            if now != state.lookedAt {
                state.lookedAt = now
                renew(&state)
            }
            return (state.chain, state.key)
        }
    }

    /// Looks at the files at once.
    func renewIfChanged() { loaded.withLock { renew(&$0) } }

    private func renew(_ state: inout Loaded) {
        let changes = Self.changes(of: files)
        let now = now()
        let isDue = state.validFrom.map { $0 <= now } ?? false
        guard changes != state.changedAt, changes != state.refusedAt || isDue else { return }
        do throws(CertificateError) {
            let next = try Self.loadedApart(files)
            // Tills refuse a certificate that has ended: one that has not is the better one, whoever put
            // which file there.
            if state.isValid(at: now), !next.isValid(at: now) {
                throw .notValidNow(certificate: files.certificate, from: next.begin, to: next.end)
            }
            state = next
            let end = Timestamp.text(milliseconds: state.end)
            logger.notice("the certificate was renewed", metadata: ["ends": .string(end)])
        } catch {
            state.refusedAt = changes
            state.validFrom = nil
            if case .notValidNow(_, let from, _) = error, from > now { state.validFrom = from }
            logger.warning("the changed certificate is not used, the one before is: \(error)")
        }
    }

    /// On a thread of its own: what the library notes about a pair that does not fit stays behind on the
    /// thread, and a handshake there that is not done yet ends with it.
    private static func loadedApart(_ files: TLSFiles) throws(CertificateError) -> Loaded {
        let result = Mutex<Result<Loaded, CertificateError>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let loaded = Result { () throws(CertificateError) in try load(files) }
            result.withLock { $0 = loaded }
            isDone.signal()
        }
        isDone.wait()
        guard let loaded = result.withLock({ $0 }) else { return try load(files) }
        return try loaded.get()
    }

    private static func load(_ files: TLSFiles) throws(CertificateError) -> Loaded {
        let changedAt = changes(of: files)
        var status = stat()
        if stat(files.key, &status) == 0, status.st_mode & 0o007 != 0 {
            throw CertificateError.readableByOthers(path: files.key)
        }
        let chain = try read(files.certificate) { try NIOSSLCertificate.fromPEMFile(files.certificate) }
        let key = try read(files.key) { try NIOSSLPrivateKey(file: files.key, format: .pem) }
        guard let end = chain.map(\.notValidAfter).min(), let begin = chain.map(\.notValidBefore).max() else {
            throw .unreadable(path: files.certificate, reason: "it holds no certificate")
        }
        let sources = chain.map { NIOSSLCertificateSource.certificate($0) }
        // The library compares a pair only where it makes a context of it, which otherwise each handshake
        // does.
        let isPair =
            (try? NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: sources, privateKey: .privateKey(key))))
            != nil
        guard isPair else { throw .mismatched(certificate: files.certificate, key: files.key) }
        return Loaded(
            chain: sources, key: .privateKey(key), begin: Int64(begin) * 1_000, end: Int64(end) * 1_000,
            changedAt: changedAt,
            lookedAt: monotonicSeconds())
    }

    private static func read<Part>(
        _ path: String, _ parse: () throws -> Part
    ) throws(CertificateError) -> Part {
        do {
            return try parse()
        } catch {
            throw .unreadable(path: path, reason: "\(error)")
        }
    }

    private static func changes(of files: TLSFiles) -> [Int64] {
        [files.certificate, files.key].flatMap { path -> [Int64] in
            var status = stat()
            guard stat(path, &status) == 0 else { return [] }
            // Of the inode, so that rights that were put right count as a change too.
            return [Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec), Int64(status.st_ino)]
        }
    }

    private static func monotonicSeconds() -> Int {
        Int(LinuxSystemTime().now().nanoseconds / 1_000_000_000)
    }
}
