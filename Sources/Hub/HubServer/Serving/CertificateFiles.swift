import Base

internal import Glibc
internal import NIOCore
internal import NIOSSL
internal import Synchronization
internal import OfflineCore
internal import MachineRuntime

/// Why the hub's certificate or its key cannot be used.
enum CertificateError: Error, Equatable, CustomStringConvertible {
    /// Anybody on this machine could serve in the hub's place.
    case readableByOthers(path: String)
    case unreadable(path: String, reason: String)

    var description: String {
        switch self {
        case .readableByOthers(let path):
            "the TLS key \(path) can be read by every user of this machine; run: chmod o-rwx \(path)"
        case .unreadable(let path, let reason): "the TLS file \(path) cannot be used: \(reason)"
        }
    }
}

/// The certificate chain and key that the hub serves TLS with, read again when the files change: a renewed
/// certificate needs no restart.
final class CertificateFiles: Sendable {
    private struct Loaded {
        var chain: [NIOSSLCertificateSource]
        var key: NIOSSLPrivateKeySource
        /// Of both files, when they were read.
        var changedAt: [Int64]
        /// Seconds of the monotonic clock, when the files were last looked at.
        var lookedAt: Int
    }

    private let files: TLSFiles
    private let loaded: Mutex<Loaded>

    /// - Throws: ``CertificateError``.
    init(_ files: TLSFiles) throws {
        self.files = files
        loaded = Mutex(try Self.load(files))
    }

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

    /// What the files hold now. Half-written or wrong files leave the last good ones in use.
    private func current() -> (chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource) {
        loaded.withLock { state in
            let now = Self.monotonicSeconds()
            // Once a second at most: a handshake must not cost system calls that an attacker multiplies.
            if now != state.lookedAt {
                state.lookedAt = now
                if Self.changes(of: files) != state.changedAt, let fresh = try? Self.load(files) {
                    state = fresh
                }
            }
            return (state.chain, state.key)
        }
    }

    private static func load(_ files: TLSFiles) throws -> Loaded {
        let changedAt = changes(of: files)
        var status = stat()
        if stat(files.key, &status) == 0, status.st_mode & 0o007 != 0 {
            throw CertificateError.readableByOthers(path: files.key)
        }
        let chain: [NIOSSLCertificateSource]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) }
        } catch {
            throw CertificateError.unreadable(path: files.certificate, reason: "\(error)")
        }
        do {
            let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
            return Loaded(
                chain: chain, key: .privateKey(key), changedAt: changedAt, lookedAt: monotonicSeconds())
        } catch {
            throw CertificateError.unreadable(path: files.key, reason: "\(error)")
        }
    }

    private static func changes(of files: TLSFiles) -> [Int64] {
        [files.certificate, files.key].flatMap { path -> [Int64] in
            var status = stat()
            guard stat(path, &status) == 0 else { return [] }
            return [Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec), Int64(status.st_ino)]
        }
    }

    private static func monotonicSeconds() -> Int {
        Int(LinuxSystemTime().now().nanoseconds / 1_000_000_000)
    }
}
