internal import Base
internal import Foundation
internal import Glibc
internal import HubProtocol
internal import Neighbours
internal import TerminalStore

/// The lists of notes on this till's disk: a file for each maker and epoch, a line for each note, synced
/// before it counts. A line that a power cut tore is no note.
actor NoteFiles {
    private let folder: String
    /// Makes the names in a folder durable.
    private let syncFolder: @Sendable (String) throws(FileError) -> Void
    /// Bytes that were read of lists since the start.
    private(set) var bytesRead = 0
    /// Of the lists that were looked into since the start, by path.
    private var indexes: [String: NoteIndex] = [:]
    /// The files whose names are durable as far as this process has seen to it.
    private var named: Set<String> = []

    /// Reads nothing yet.
    init(
        folder: String,
        syncFolder: @escaping @Sendable (String) throws(FileError) -> Void = {
            (folder) throws(FileError) in try DurableFile.syncFolder(folder)
        }
    ) {
        (self.folder, self.syncFolder) = (folder, syncFolder)
    }

    /// What the files have: notes of one list in their order, and second notes under numbers of those.
    func load() -> (notes: [NeighbourNote], forks: [NeighbourNote]) {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
        func read(_ suffix: String) -> [NeighbourNote] {
            names.filter { $0.hasSuffix(suffix) }.flatMap { Self.notes(of: lines(in: "\(folder)/\($0)")) }
        }
        return (read(Self.suffix), read(Self.forks))
    }

    /// Adds notes of one list, and a second note under a number of it; durable when it returns.
    func append(_ notes: [NeighbourNote], fork: NeighbourNote?) throws(FileError) {
        if let list = notes.first?.list { try append(notes, to: path(of: list, Self.suffix)) }
        if let fork { try append([fork], to: path(of: fork.list, Self.forks)) }
    }

    /// Drops the notes of a list below a number.
    func drop(_ list: NoteListKey, below number: Int64) {
        let path = path(of: list, Self.suffix)
        let left = lines(in: path).filter { Self.number(of: $0) >= number }
        try? DurableFile.replace(
            path, with: left.flatMap { Array($0) + [0x0A] }, temporaryName: "notes.new")
        indexes[path] = nil
    }

    /// Drops a whole list.
    func forget(_ list: NoteListKey) {
        for path in [Self.suffix, Self.forks].map({ path(of: list, $0) }) {
            unlink(path)
            indexes[path] = nil
            named.remove(path)
        }
    }

    /// Notes of a list behind a number, a page of them at most.
    func page(of list: NoteListKey, after number: Int64) -> [NeighbourNote] {
        // Any till may request any name; files elsewhere are nobody's lists.
        guard !list.terminalId.contains("/") else { return [] }
        let own = notes(in: path(of: list, Self.suffix), after: number)
        let forks = notes(in: path(of: list, Self.forks), after: number)
        // A second note under a number comes behind the first one, so that its reader has both.
        let all = own.flatMap { note in [note] + forks.filter { $0.number == note.number } }
        var size = 0
        return Array(
            all.prefix(NeighbourLimits.notesOfPage).prefix { note in
                size += note.json.canonicalBytes.count + 1
                return size <= NeighbourLimits.documentBytes - 1_024
            })
    }

    private func index(of path: String) -> NoteIndex {
        var index = indexes[path] ?? NoteIndex()
        bytesRead += index.extend(from: path, number: Self.number)
        if !index.isEmpty { indexes[path] = index }
        return index
    }

    /// The first notes of a file behind a number: a page of them, or one that is too large for it.
    private func notes(in path: String, after number: Int64) -> [NeighbourNote] {
        var (lines, size) = ([ArraySlice<UInt8>](), 0)
        bytesRead += NoteLines.read(path, from: index(of: path).place(after: number)) { line in
            if Self.number(of: line.bytes) > number {
                lines.append(line.bytes)
                size += line.bytes.count
            }
            return lines.count < NeighbourLimits.notesOfPage && size < NeighbourLimits.documentBytes
        }
        return Self.notes(of: lines)
    }

    /// The note of a grant in the lists of its maker; nil: it is not there.
    func grant(_ grant: GrantedRight, by maker: String) -> NeighbourNote? {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.hasPrefix(maker + "_") && $0.hasSuffix(Self.suffix)
        }
        let claimId = JSONValue.string(grant.claimId).canonicalBytes
        for path in names.sorted().reversed().map({ "\(folder)/\($0)" }) {
            // The newest ones are at the end, and a claim that comes at once is the usual one.
            var end = Int.max
            for place in index(of: path).places.reversed() {
                var found: NeighbourNote?
                bytesRead += NoteLines.read(path, from: place) { line in
                    guard line.offset < end else { return false }
                    // Only a note that names the claim is read as one.
                    if line.bytes.contains(claimId), let note = Self.notes(of: [line.bytes]).first,
                        note.kind == grant.kind.note.rawValue, (try? GrantedRight(json: note.body)) == grant
                    {
                        found = note
                    }
                    return true
                }
                if let found { return found }
                end = place
            }
        }
        return nil
    }

    private static let suffix = ".notes"
    private static let forks = ".forks"

    private func path(of list: NoteListKey, _ suffix: String) -> String {
        "\(folder)/\(list.terminalId)_\(list.epoch)\(suffix)"
    }

    private static func bytes(of notes: [NeighbourNote]) -> [UInt8] {
        notes.flatMap { $0.json.canonicalBytes + [0x0A] }
    }

    private func append(_ notes: [NeighbourNote], to path: String) throws(FileError) {
        mkdir(folder, 0o700)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(path: path, call: "open", code: errno) }
        defer { close(descriptor) }
        // Behind a torn line, so that the next one is read.
        try DurableFile.write([0x0A] + Self.bytes(of: notes), to: descriptor, path: path)
        guard fsync(descriptor) == 0 else { throw FileError(path: path, call: "fsync", code: errno) }
        guard !named.contains(path) else { return }
        // A file whose name a power cut takes has no notes. The folder itself may be new, too.
        if named.isEmpty { try syncFolder(DurableFile.folder(of: folder)) }
        try syncFolder(folder)
        named.insert(path)
    }

    private func lines(in path: String) -> [ArraySlice<UInt8>] {
        let bytes = ((try? HomeFile.read(path)) ?? nil) ?? []
        bytesRead += bytes.count
        return bytes.split(separator: 0x0A)
    }

    private static func notes(of lines: some Sequence<ArraySlice<UInt8>>) -> [NeighbourNote] {
        lines.compactMap { line in
            (try? JSONParser.parse(Array(line))).flatMap { try? NeighbourNote(json: $0) }
        }
    }

    /// A note's number without reading all of it: the last member of that name, since those behind it are
    /// hashes, a signature and an id. 0 for what is no note.
    private static func number(of line: ArraySlice<UInt8>) -> Int64 {
        let name = Array("\"number\":".utf8)
        var index = line.endIndex - name.count
        while index >= line.startIndex, !line[index...].starts(with: name) { index -= 1 }
        guard index >= line.startIndex else { return 0 }
        let digits = line[(index + name.count)...].prefix { (0x30...0x39).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self)) ?? 0
    }
}
