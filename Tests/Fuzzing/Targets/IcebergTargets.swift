import Foundation
import FoundationXML
import Providers

/// What is read of Iceberg's requests is what others read of them: XML by libxml2, JSON by Foundation.
extension FuzzTarget {
    /// The bytes are the body of a deletion of many objects.
    static let deletion = FuzzTarget(name: "deletion") { bytes in
        let keys: [[UInt8]]
        do { keys = try DeletedKeys(reading: bytes).keys } catch { return }
        try requireSame(keys.map { String(decoding: $0, as: UTF8.self) }, as: bytes)
    }

    /// The bytes are a request that Iceberg's client has signed, as JSON.
    static let iceberg = FuzzTarget(name: "iceberg") { bytes in
        guard try Fixture.standing.get().signs("s3.iceberg", json: bytes) else { return }
        let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
        let (uri, method) = (json["uri"] as? String ?? "", json["method"] as? String ?? "GET")
        try require(["GET", "PUT", "POST"].contains(method), "another method: \(method)")
        let origin = "https://demo-bucket.s3.eu-west-1.amazonaws.com/"
        let host = origin.dropLast()
        try require(
            uri == host || uri.hasPrefix(origin) || uri.hasPrefix(host + "?"), "another origin: \(uri)")
        let target = uri.dropFirst(uri.hasPrefix(origin) ? origin.count : host.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let key = target.first.flatMap { String($0).removingPercentEncoding } ?? ""
        // What is signed is written anew from these: an ampersand with nothing beside it is no parameter.
        let parameters = target.dropFirst().flatMap { $0.split(separator: "&") }
        for (name, _) in json["headers"] as? [String: Any] ?? [:] {
            let own = ["x-amz-content-sha256", "x-amz-date", "x-amz-security-token"]
            try require(!name.lowercased().hasPrefix("x-amz-") || own.contains(name.lowercased()), "a header: \(name)")
        }
        guard key.isEmpty else {
            try require(key.hasPrefix("wh/") && parameters.isEmpty, "outside the grant: \(uri)")
            return try require(!key.split(separator: "/").contains { $0 == "." || $0 == ".." }, "dots: \(uri)")
        }
        try require(
            method == "POST" && [["delete"], ["delete="]].contains(parameters), "another operation: \(uri)")
        let found = XMLKeys.read(Array((json["body"] as? String ?? "").utf8))
        try require(found?.allSatisfy { $0.hasPrefix("wh/") } ?? true, "outside the grant: \(found ?? [])")
    }

    /// What libxml2 does not take, no server does.
    private static func requireSame(_ keys: [String], as document: [UInt8]) throws {
        guard let found = XMLKeys.read(document) else { return }
        try require(found.map { Array($0.utf8) } == keys.map { Array($0.utf8) }, "\(keys), and \(found)")
    }
}

/// The texts of all elements that are called Key, whatever they are in.
private final class XMLKeys: NSObject, XMLParserDelegate {
    private var keys: [String] = []
    private var isInside = false

    /// - Returns: nil for what is no XML.
    static func read(_ document: [UInt8]) -> [String]? {
        let (parser, reader) = (XMLParser(data: Data(document)), XMLKeys())
        parser.delegate = reader
        parser.shouldProcessNamespaces = true
        return parser.parse() ? reader.keys : nil
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        isInside = name == "Key"
        if isInside { keys.append("") }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if isInside, !keys.isEmpty { keys[keys.count - 1] += text }
    }

    func parser(_ parser: XMLParser, foundCDATA data: Data) {
        if isInside, !keys.isEmpty { keys[keys.count - 1] += String(decoding: data, as: UTF8.self) }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        isInside = false
    }
}
