import Access

/// What OSS does with one object, as far as it is signed for callers (R15): its content, what is known of it, and its upload in
/// parts or bit by bit. Not here, and so never signed: the bucket and the service, access lists, symbolic links, copies, tags,
/// restoring, deleting many or a version, processing (`x-oss-process`), and callbacks.
enum OSSOperations {
    static let table = OperationTable(
        reading + writing + uploadInParts,
        headers: [
            "cache-control", "content-disposition", "content-encoding", "content-length", "content-md5", "content-type",
            "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "range", "x-oss-forbid-overwrite",
            "x-oss-meta-*", "x-oss-storage-class", "x-oss-traffic-limit",
        ])

    /// Those of its sub-resources that mean nothing without a value: a server may take a request for another operation then.
    static let valued: [StaticString] = ["uploadId", "partNumber", "versionId", "position"]

    static let emptyValue = Objection("subresources", "uploadId, partNumber, versionId and position must have a value")

    private static let reading = [
        OperationTable.Operation("GET", .object, query: answer + throttle), OperationTable.Operation("HEAD", .object),
        OperationTable.Operation("GET", .object, ["versionId"], query: answer + throttle),
        OperationTable.Operation("HEAD", .object, ["versionId"]),
        OperationTable.Operation("HEAD", .object, ["objectMeta"]),
    ]

    private static let writing = [
        OperationTable.Operation("PUT", .object, query: throttle), OperationTable.Operation("DELETE", .object),
        OperationTable.Operation("POST", .object, ["append", "position"], query: throttle),
    ]

    private static let uploadInParts = [
        OperationTable.Operation("POST", .object, ["uploads"], query: spelling),
        OperationTable.Operation("PUT", .object, ["uploadId", "partNumber"], query: throttle),
        OperationTable.Operation("GET", .object, ["uploadId"], query: ["max-parts", "part-number-marker"] + spelling),
        OperationTable.Operation("POST", .object, ["uploadId"], query: spelling),
        OperationTable.Operation("DELETE", .object, ["uploadId"]),
    ]

    /// What a client may want other than it is stored.
    private static let answer = [
        "response-cache-control", "response-content-disposition", "response-content-encoding",
        "response-content-language", "response-content-type", "response-expires",
    ]

    private static let throttle = ["x-oss-traffic-limit"]

    /// How keys are spelled in the answer; alibabacloud-oss-v2 sends it with every upload in parts.
    private static let spelling = ["encoding-type"]
}
