import Foundation

/// How many rounds a test of random or of all inputs goes through.
///
/// `scripts/test` goes through a tenth of them, so that it ends in minutes. `scripts/check-all` goes through all. Both begin with the
/// same ones, since their generators have fixed seeds.
package enum Rounds {
    /// - Parameter all: those of `scripts/check-all`.
    package static func of(_ all: Int) -> Int { isThorough ? all : max(1, all / 10) }
    /// Every tenth of some values, or all of them.
    package static func of<Values: RandomAccessCollection>(_ all: Values) -> [Values.Element] {
        all.enumerated().filter { isThorough || $0.offset.isMultiple(of: 10) }.map(\.element)
    }

    private static let isThorough = ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_ROUNDS"] == "all"
}
