internal import Simulation

/// Link recordings of one origin: the first word of their files' names.
struct RecordedLinks {
    let name: String
    private(set) var traces: [LinkTrace] = []

    /// Every `*.csv` and `*.csv.gz` of `folder`, by name.
    ///
    /// - Throws: when the folder or one of them cannot be read, by its name.
    static func families(in folder: String, log: String) throws(BenchFailure) -> [RecordedLinks] {
        var families: [RecordedLinks] = []
        for file in try TextFile.names(in: folder).sorted()
        where file.hasSuffix(".csv") || file.hasSuffix(".csv.gz") {
            let trace = try read(folder + "/" + file, log: log)
            let name = file.split(separator: "-").prefix(1).joined()
            if families.last?.name != name { families.append(RecordedLinks(name: name)) }
            families[families.count - 1].traces.append(trace)
        }
        guard !families.isEmpty else { throw .notHere("no *.csv and no *.csv.gz in \(folder)") }
        return families
    }

    private static func read(_ path: String, log: String) throws(BenchFailure) -> LinkTrace {
        let text =
            path.hasSuffix(".gz")
            ? try BuiltProgram("/usr/bin/env", ["gunzip", "-c", path], log: log).finish()
            : TextFile.read(path)
        do throws(LinkTraceError) {
            return try LinkTrace(csv: text ?? "")
        } catch {
            throw .notHere("\(path) is no link recording: \(error)")
        }
    }
}
