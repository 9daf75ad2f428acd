/// How many letters have to be changed, added or taken away to turn one text into another. (Levenshtein,
/// 1966)
enum EditDistance {
    static func between(_ left: String, _ right: String) -> Int {
        let letters = Array(right)
        var row = Array(0...letters.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in letters.indices {
                let cost =
                    letter == letters[column] ? diagonal : min(diagonal, row[column], row[column + 1]) + 1
                diagonal = row[column + 1]
                row[column + 1] = cost
            }
        }
        return row[letters.count]
    }
}
