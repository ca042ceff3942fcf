import Bytes

/// Why a string to sign was refused. Says what would be right, and never quotes the string: it may hold a token.
package struct StringToSignError: Error, Equatable, CustomStringConvertible {
    package enum Clause: String, Sendable {
        case verb, contentMD5, contentType, date, header, resource, subResource, syntax
        /// Of version 4.
        case scope, hash, query, additionalHeaders, signedHeaders, payload
    }

    package let clause: Clause
    /// From 1; nil where the fault is not in one line.
    package let line: Int?
    package let reason: String

    /// A `StaticString`, so that no value of the input can slip in.
    /// - Parameter name: the vendor's, of its `V4Scheme`; the reason goes on behind it.
    init(_ clause: Clause, line: Int? = nil, naming name: [UInt8] = [], _ reason: StaticString) {
        self.clause = clause
        self.line = line
        self.reason = name.isEmpty ? reason.description : "\(name.text) \(reason)"
    }

    package var description: String {
        let position = line.map { "line \($0), " } ?? ""
        return "\(position)\(clause.rawValue): \(reason)"
    }
}
