internal import Foundation
internal import Glibc
internal import HubProtocol
internal import Neighbours
internal import TerminalStore

/// The folder of a keeper: a file for each piece, and one for the time that it has kept them.
struct PieceFolder: Sendable {
    let path: String
    /// Bytes that are left for this till itself, whatever others bring: its own journal, and room to repair
    /// it.
    var reserve: Int64 = 512 << 20

    /// Whether the disk has room for more.
    var hasRoom: Bool {
        var status = statvfs()
        guard statvfs(DurableFile.folder(of: path), &status) == 0 else { return true }
        return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize)) > reserve
    }

    /// The pieces, in the order in which they came. A file that is none is left as it is.
    var pieces: [KeptPiece] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap(piece).sorted { $0.keptAt < $1.keptAt }.enumerated().map { index, piece in
            KeptPiece(
                id: piece.id, size: piece.size, arrival: Int64(index), keptAt: piece.keptAt,
                keptStep: piece.keptStep)
        }
    }

    /// The running time that was written last (``KeptPiece/keptStep``); 0: none was.
    var steps: Int64 {
        let text = (try? HomeFile.read(stepsPath)) ?? nil
        return text.flatMap {
            Int64(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        } ?? 0
    }

    func write(steps: Int64) {
        try? DurableFile.replace(stepsPath, with: Array("\(steps)\n".utf8), temporaryName: "hours.new")
    }

    /// Durable when it returns.
    func write(_ piece: KeptPiece, _ bytes: [UInt8]) throws(FileError) {
        mkdir(path, 0o700)
        try DurableFile.replace(file(of: piece), with: bytes, temporaryName: "piece.new")
    }

    /// - Returns: nil where there is no file of it.
    func read(_ piece: KeptPiece) throws(TerminalError) -> [UInt8]? { try HomeFile.read(file(of: piece)) }

    func delete(_ piece: KeptPiece) { unlink(file(of: piece)) }

    private static let suffix = ".piece"

    private var stepsPath: String { "\(path)/hours" }

    private func file(of piece: KeptPiece) -> String { "\(path)/\(Self.name(of: piece))" }

    private static func name(of piece: KeptPiece) -> String {
        let id = piece.id
        let place = "\(id.epoch)_\(id.first)_\(id.last)"
        return "\(id.terminalId)_\(piece.keptStep)_\(place)_\(id.link.hash)\(suffix)"
    }

    private func piece(named name: String) -> KeptPiece? {
        var status = stat()
        let parts = name.split(separator: "_")
        guard name.hasSuffix(Self.suffix), parts.count > 1, let step = Int64(parts[1]),
            let file = FileHandle(forReadingAtPath: "\(path)/\(name)"),
            fstat(file.fileDescriptor, &status) == 0,
            let beginning = try? file.read(upToCount: SealedPiece.headerBytes),
            let header = try? SealedPiece.header(in: Array(beginning)), let id = KeptPiece.ID(header)
        else { return nil }
        let modified = status.st_mtim
        let piece = KeptPiece(
            id: id, size: KeptPiece.onDisk(Int64(status.st_size)), arrival: 0,
            keptAt: Int64(modified.tv_sec) * 1_000 + Int64(modified.tv_nsec) / 1_000_000, keptStep: step)
        return Self.name(of: piece) == name ? piece : nil
    }
}
