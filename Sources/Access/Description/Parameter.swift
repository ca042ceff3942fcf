/// One parameter of a route, with the type in which an `Ask` gives it. It is declared once, and read by its declaration: a name
/// that nothing is declared by does not compile.
package struct Parameter<Value: ~Escapable>: Sendable {
    package let description: ParameterDescription

    package init(_ name: String, aliases: [String] = [], _ kind: ParameterKind<Value>, _ summary: String) {
        description = ParameterDescription(name: name, aliases: aliases, kind: kind.form, summary: summary)
    }

    package var name: String { description.name }
}

extension Parameter where Value == Span<UInt8> {
    package static var grant: Parameter { Parameter("grant", .grant, "The grant to use, where several would fit.") }
    package static var bucket: Parameter {
        Parameter("bucket", .bucket, "The bucket; needed only where the grant leaves it open.")
    }

    /// What `${ext}` in a grant's key becomes, where no key is asked for.
    package static var fileExtension: Parameter {
        Parameter(
            "ext", .fileExtension, "The extension, such as jpg, that the server gives the key of a grant with `${ext}`."
        )
    }

    /// A parameter that stands for something when it is not given.
    package init(_ name: String, _ kind: ParameterKind<Value>, default standard: String, _ summary: String) {
        description = ParameterDescription(
            name: name, kind: kind.form, standard: Array(standard.utf8), summary: "\(summary); without it, \(standard)."
        )
    }
}

extension Parameter where Value == Int64 {
    package static var expires: Parameter { expires(from: 1) }

    /// - Parameter least: the vendor's shortest lifetime, in seconds.
    package static func expires(from least: Int64) -> Parameter {
        Parameter(
            "expires", .lifetime(least: least),
            "The lifetime in seconds. The grant has a default and a maximum.")
    }
}

/// What a caller may give for a parameter, and the type in which it is read.
package struct ParameterKind<Value: ~Escapable>: Sendable {
    let form: ParameterDescription.Kind
}

extension ParameterKind where Value == Span<UInt8> {
    /// The name of a grant.
    package static var grant: Self { Self(form: .grant) }
    /// A bucket's name.
    package static var bucket: Self { Self(form: .bucket) }
    /// An object's whole key of at most this many bytes (R13).
    package static func key(maximumLength: Int) -> Self { Self(form: .key(maximumLength: maximumLength)) }
    /// What keys begin with, of at most this many bytes; stands for all of them.
    package static func keyPrefix(maximumLength: Int) -> Self { Self(form: .keyPrefix(maximumLength: maximumLength)) }
    /// What stands behind the grant's prefix in a key, such as the name of a file, of at most this many bytes. Where the grant
    /// names the whole key, it only tells the extension.
    package static func keyName(maximumLength: Int) -> Self { Self(form: .keyName(maximumLength: maximumLength)) }
    /// What stands behind the last dot of a key, 1 to 8 of a-z 0-9.
    package static var fileExtension: Self { Self(form: .fileExtension) }
    /// Text of at most this many bytes; line breaks are allowed where a protocol has them.
    package static func text(maximumLength: Int) -> Self { Self(form: .text(maximumLength: maximumLength)) }
    /// A JSON value, read as its text of at most this many bytes.
    package static func json(maximumLength: Int) -> Self { Self(form: .json(maximumLength: maximumLength)) }
    /// Anything that clients of a protocol send and the route does not look at, also as `name[part]`.
    package static var ignored: Self { Self(form: .ignored) }
}

extension ParameterKind where Value == Int64 {
    /// A lifetime in seconds, at least so many (R5).
    package static func lifetime(least: Int64) -> Self { Self(form: .lifetime(least: least)) }
    package static func integer(_ bounds: ClosedRange<Int64>) -> Self { Self(form: .integer(bounds)) }
}

extension ParameterKind where Value == [Ask.Pair] {
    /// Names with values, given one by one as `name:value` for a separator of `:`, in a JSON array of such texts, or as a
    /// JSON object (R3): at most so many, each of at most so many bytes.
    package static func pairs(separator: UInt8, maximumCount: Int, maximumLength: Int) -> Self {
        Self(form: .pairs(separator: separator, maximumCount: maximumCount, maximumLength: maximumLength))
    }
}

// MARK: - Groups

/// The parameters of a route, as properties: each is a `Parameter`, or another group whose parameters come beside its own.
package protocol ParameterGroup: Sendable {}

extension ParameterGroup {
    /// The parameters, in the order of the properties.
    package var descriptions: [ParameterDescription] {
        StoredReferences.of(self, ParameterDescription.self)
    }
}
