/// Insertions, deletions and replacements of characters that turn `first` into `second` (Levenshtein), for
/// the nearest known key of a configuration. Both programs suggest one, so both share this.
///
/// - Returns: 0 for equal texts, at most the length of the longer one.
public func editDistance(_ first: String, _ second: String) -> Int {
    let target = Array(second)
    // What turns the part of `first` that was read into each beginning of `second`.
    var row = Array(0...target.count)
    for (index, character) in first.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in target.indices {
            let replaced = diagonal + (character == target[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
        }
    }
    return row[target.count]
}
