import Foundation

/// How much a test of many inputs goes through: a tenth of random ones and a quarter of a list in `scripts/test`, so that it ends in minutes,
/// and all in `scripts/check-all`. Generators have fixed seeds, so that both begin with the same rounds.
package enum Rounds {
    /// - Parameter all: those of `scripts/check-all`, or what at least must come of them.
    package static func share(of all: Int) -> Int { isThorough ? all : max(1, all / 10) }

    /// Whether a test of a long list goes through its item of this number: one of four in `scripts/test`, and each in `scripts/check-all`.
    package static func takes(_ number: Int) -> Bool { isThorough || number % 4 == 0 }

    /// The items of a list that a test goes through: one of four in `scripts/test`, and each in `scripts/check-all`.
    /// - Parameter first: the first of them.
    package static func some<Item>(of all: [Item], from first: Int = 0) -> [Item] {
        all.enumerated().filter { takes($0.offset - first) }.map(\.element)
    }

    private static let isThorough = ProcessInfo.processInfo.environment["COUNTERSIGN_TEST_ROUNDS"] == "all"
}
