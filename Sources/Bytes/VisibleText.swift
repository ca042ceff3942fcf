extension String {
    /// The text with everything that has no shape of its own, or changes that of others, as `\u{…}`: it begins no line, and does
    /// nothing to a terminal.
    package var visible: String {
        if utf8.allSatisfy({ $0 == 0x20 || $0.isVisible }) { return self }
        var visible = ""
        for scalar in unicodeScalars {
            if scalar.isVisible {
                visible.unicodeScalars.append(scalar)
            } else {
                visible += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return visible
    }
}

extension Unicode.Scalar {
    /// Whether it has a shape of its own, and changes that of no other.
    package var isVisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
