extension BinaryInteger {
    /// The number with what it counts: `1 grant`, `2 grants`.
    func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
