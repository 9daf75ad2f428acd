/// The options of the command line.
struct BenchOptions {
    /// How long the idle programs are watched.
    var idleSeconds: Int
    /// Of everything that is drawn.
    var seed: UInt64
    /// How often the real agents are cut off.
    var rounds: Int
    /// Where the chart of the detectors goes; nil: nowhere.
    var svg: String?
    /// A folder of link recordings; nil: drawn links alone.
    var recordings: String?
}
