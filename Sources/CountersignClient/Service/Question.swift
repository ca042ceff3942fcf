import Foundation

/// What the service is asked: a route, and its parameters.
struct Question: Sendable, Hashable {
    struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    let path: String
    private(set) var parameters: [Parameter] = []

    init(_ path: String, _ options: RequestOptions) {
        self.path = path
        add("grant", options.grant)
        add("bucket", options.bucket)
        add("ext", options.fileExtension)
        add("expires", options.lifetime.map(String.init))
        for (name, value) in options.parameters.sorted(by: { $0.key < $1.key }) { add(name, value) }
    }

    mutating func add(_ name: String, _ value: String?) {
        if let value { parameters.append(Parameter(name: name, value: value)) }
    }

    /// One parameter for each pair.
    mutating func add(_ name: String, _ pairs: [String: String], joinedBy separator: String) {
        for (first, second) in pairs.sorted(by: { $0.key < $1.key }) {
            // A sub-resource such as `uploads` has no value.
            add(name, second.isEmpty ? first : first + separator + second)
        }
    }

    /// As `application/x-www-form-urlencoded`.
    var form: Data {
        let pairs = parameters.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
        return Data(pairs.joined(separator: "&").utf8)
    }
}
