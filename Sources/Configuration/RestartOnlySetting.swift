import Access
import Bytes
import Crypto

/// A key that no reload can change, and what stands there.
package struct RestartOnlySetting: Sendable {
    let path: String
    /// Where it stands, or else the nearest object that it would stand in.
    let position: TextPosition
    private let fixity: FieldDescription.Fixity
    private let value: Value

    private enum Value: Equatable {
        case texts([[UInt8]])
        case secret(Secret)

        static func == (a: Value, b: Value) -> Bool {
            switch (a, b) {
            case (.texts(let a), .texts(let b)): a == b
            case (.secret(let a), .secret(let b)): a.constantTimeEquals(b)
            default: false
            }
        }
    }

    /// All that values hold of them, in the order of their descriptions.
    /// - Parameters:
    ///   - object: what the values were read from, in a text.
    static func all(
        in values: FieldValues, by descriptions: [FieldDescription], of object: JSONValue, in text: [UInt8],
        below path: String = ""
    ) -> [RestartOnlySetting] {
        descriptions.flatMap { field -> [RestartOnlySetting] in
            var settings: [RestartOnlySetting] = []
            if let fixity = field.fixity {
                let offset = object.range(ofMember: field.name)?.lowerBound ?? object.offset
                settings.append(
                    RestartOnlySetting(
                        path: path + field.name, position: TextPosition(of: offset, in: text),
                        fixity: fixity, value: value(values[field])))
            }
            guard case .object(let fields) = field.kind else { return settings }
            // One that is not there has the same keys, without values: lists of two configurations are compared in pairs.
            let inner = if case .object(let inner)? = values[field] { inner } else { FieldValues() }
            let place = object[field.name] ?? JSONValue(offset: object.offset, content: .object([]))
            return settings + all(in: inner, by: fields, of: place, in: text, below: path + field.name + ".")
        }
    }

    /// Whether the same stands there in another text.
    func says(sameAs other: RestartOnlySetting) -> Bool { path == other.path && value == other.value }

    /// Why another value is refused, and what would be right.
    var refusal: String {
        switch fixity {
        case .forProcess:
            "cannot change while this process runs; put it back, or send SIGUSR2 to hand over to a new process, or stop and "
                + "start the service"
        case .forService:
            "cannot change while the service runs, also not by SIGUSR2; put it back, or stop and start the service"
        }
    }

    /// What tells a value from another; an object only from none.
    private static func value(_ value: FieldValues.Value?) -> Value {
        switch value {
        case nil: .texts([])
        case .string(let text)?: .texts([text])
        case .strings(let list)?: .texts(list)
        case .boolean(let flag)?: .texts([Array("\(flag)".utf8)])
        case .integer(let number)?: .texts([Array("\(number)".utf8)])
        case .secret(let secret)?: .secret(secret)
        case .rate?, .template?, .object?, .objects?, .json?, .members?: .texts([[]])
        }
    }
}

extension Configuration {
    /// The keys in which it differs from the one that the service was started with, although they cannot change meanwhile.
    /// Of an object that only one of them has, the object alone is told.
    package func changes(ofFixed started: [RestartOnlySetting]) -> [Problem] {
        let changed = zip(fixed, started).filter { !$0.says(sameAs: $1) }.map(\.0)
        return changed.filter { setting in !changed.contains { setting.path.hasPrefix($0.path + ".") } }.map {
            Problem(path: $0.path, position: $0.position, reason: $0.refusal)
        }
    }

    /// The credentials that have another access key than in a former configuration, and still its secret, because that is a
    /// variable of the environment: the service would sign with a secret of another key.
    package func secretsLeftBehind(since former: Configuration) -> [Problem] {
        credentials.compactMap { credential in
            guard let position = credential.environmentSecret, let key = credential.key,
                let formerKey = former.credentials.first(where: { $0.name == credential.name })?.key,
                key.accessKey != formerKey.accessKey, key.secret.constantTimeEquals(formerKey.secret)
            else { return nil }
            return Problem(
                path: "credentials".member(Array(text: credential.name)).member(Array(text: "secretKey")),
                position: position,
                reason: "is still the secret of the former accessKey, since a secret from env cannot change without a "
                    + "restart; use { file: \"PATH\" } for it, or stop and start the service")
        }
    }
}
