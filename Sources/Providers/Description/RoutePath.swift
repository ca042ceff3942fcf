import Bytes

/// A path at which a route is asked by a client's own protocol. Other paths are asked by GET, HEAD and POST, with all parameters in
/// query or body; here some may stand in the path, and a POST may have others in its query.
///
/// It is a class so that finding one for a request copies nothing.
package final class RoutePath: Sendable {
    /// What is asked by one method.
    package struct Operation: Sendable {
        package let method: String
        /// What the reference calls it, behind the route's name.
        package let name: String
        /// One sentence for the documentation.
        package let summary: String
        /// The names of the parameters that the protocol has there, beside those in the path.
        package let parameters: [String]
        package let answer: [AnswerField]
        /// Whether the answer is a list of objects with these members.
        package var isList = false
        /// Whether a vendor is asked before it is answered.
        package var asksVendor = false

        init(
            _ method: String, _ name: String, _ summary: String, taking parameters: [String],
            answer: [AnswerField]
        ) {
            self.method = method
            self.name = name
            self.summary = summary
            self.parameters = parameters
            self.answer = answer
        }
    }

    /// As documentation has it: `/s3/multipart/{uploadId}`.
    package let template: String
    /// Empty where it is asked by GET, HEAD and POST, as all paths are.
    package let operations: [Operation]
    /// Headers that a web page sends there beside those that every path takes.
    package let pageHeaders: [String]
    /// Whether the route has a parameter `operation`, which is then the operation's name.
    private let namesOperation: Bool
    private let segments: [Segment]

    private enum Segment {
        case literal([UInt8])
        case parameter(name: [UInt8])
    }

    init(
        _ template: String, pageHeaders: [String] = [], namesOperation: Bool = false, _ operations: [Operation] = []
    ) {
        self.template = template
        self.operations = operations
        self.pageHeaders = pageHeaders
        self.namesOperation = namesOperation
        segments = template.utf8.split(separator: UInt8(ascii: "/")).map { segment in
            segment.first == UInt8(ascii: "{")
                ? .parameter(name: segment.dropFirst().dropLast()) : .literal(Array(segment))
        }
    }

    package var names: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name.text } else { nil } }
    }

    /// What is asked by a method; HEAD asks whether a GET would be answered.
    package func operation(by method: StaticString) -> Operation? {
        operations.first { $0.method == method.description || $0.method == "GET" && method.description == "HEAD" }
    }

    /// Whether it is this path, as it stands in a request.
    package func matches(_ path: Span<UInt8>) -> Bool {
        var start = 0
        return segments.allSatisfy { RoutePath.take($0, &start, of: path) != nil } && start == path.count
    }

    /// Adds what a path of this form, and the method, say of the route's parameters.
    package func add(
        _ path: Span<UInt8>, by method: StaticString, to parameters: inout Parameters
    ) throws(ParameterError) {
        var start = 0
        for segment in segments {
            guard let range = RoutePath.take(segment, &start, of: path) else { return }
            guard case .parameter(let name) = segment else { continue }
            var value = ByteWriter()
            guard Percent.decode(path.extracting(range), plusIsSpace: false, into: &value) else {
                throw ParameterError(name: name, fault: .badEscape)
            }
            try parameters.add(name: name.span, value: value.bytes, form: .text)
        }
        guard namesOperation, let operation = operation(by: method) else { return }
        try parameters.add(name: StaticString("operation").bytes, value: operation.name.utf8.span, form: .text)
    }

    /// Where a segment stands in a path, from the slash at `start` on, which moves behind it; nil where the path has another.
    private static func take(_ segment: Segment, _ start: inout Int, of path: Span<UInt8>) -> Range<Int>? {
        guard start < path.count, path[start] == UInt8(ascii: "/") else { return nil }
        let range = start + 1..<(path.firstIndex(of: UInt8(ascii: "/"), from: start + 1) ?? path.count)
        start = range.upperBound
        switch segment {
        case .literal(let text): return path.extracting(range).equals(text) ? range : nil
        case .parameter: return range.isEmpty ? nil : range
        }
    }
}
