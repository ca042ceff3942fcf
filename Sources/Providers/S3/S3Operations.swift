import Bytes

/// What S3 does with one object, as far as it is signed for callers (R15): its content, and its upload in parts. Not here, and so
/// never signed: buckets and the service, access lists, tags, copies, retention, restoring, deleting many, selecting, and
/// operations that servers made up.
enum S3Operations {
    static let table = OperationTable(
        reading + writing + uploadInParts,
        headers: [
            "cache-control", "content-disposition", "content-encoding", "content-language", "content-length",
            "content-md5", "content-type", "expires", "if-match", "if-modified-since", "if-none-match",
            "if-unmodified-since", "range", "x-amz-checksum-*", "x-amz-meta-*", "x-amz-sdk-checksum-algorithm",
            "x-amz-server-side-encryption", "x-amz-storage-class",
        ], refused: refused)

    /// The same, and the deletion of many objects, for requests whose bodies are read.
    static let iceberg = OperationTable(
        table.operations + [OperationTable.Operation("POST", .bucket, ["delete"])], headers: table.headers.map(\.text),
        refused: refused)

    /// Headers with which servers do more than the request says, whatever grants list (MinIO, `internal/http/headers.go`; Ceph,
    /// `rgw_common.cc`; SeaweedFS, `s3_constants/header.go`).
    private static let refused = [
        OperationTable.Refused(
            prefix: "x-amz-meta-snowball-",
            reason: "x-amz-meta-snowball-* is never signed: MinIO would unpack the body onto other keys; leave it out"),
        OperationTable.Refused(
            prefix: "x-amz-meta-minio-",
            reason: "x-amz-meta-minio-* is never signed: MinIO may take it for an instruction; leave it out"),
        OperationTable.Refused(
            prefix: "x-minio-", reason: "x-minio-* is never signed: MinIO may take it for an instruction; leave it out"),
        OperationTable.Refused(
            prefix: "x-rgw-", reason: "x-rgw-* is never signed: Ceph may read it as x-amz-*; leave it out"),
        OperationTable.Refused(
            prefix: "x-seaweedfs-",
            reason: "x-seaweedfs-* is never signed: SeaweedFS may take it for an instruction; leave it out"),
        OperationTable.Refused(
            prefix: "x-amz-copy-source",
            reason: "x-amz-copy-source* is never signed: a server would read another object; leave it out"),
        OperationTable.Refused(
            prefix: "x-amz-rename-source",
            reason: "x-amz-rename-source* is never signed: a server would move another object; leave it out"),
    ]

    private static let reading = [
        OperationTable.Operation("GET", .object, query: answer), OperationTable.Operation("HEAD", .object),
        OperationTable.Operation("GET", .object, ["versionId"], query: answer),
        OperationTable.Operation("HEAD", .object, ["versionId"]),
    ]

    private static let writing = [
        OperationTable.Operation("PUT", .object), OperationTable.Operation("DELETE", .object),
    ]

    private static let uploadInParts = [
        OperationTable.Operation("POST", .object, ["uploads"]),
        OperationTable.Operation("PUT", .object, ["uploadId", "partNumber"]),
        OperationTable.Operation("GET", .object, ["uploadId"], query: ["max-parts", "part-number-marker"]),
        OperationTable.Operation("POST", .object, ["uploadId"]),
        OperationTable.Operation("DELETE", .object, ["uploadId"]),
    ]

    /// What a client may want other than it is stored.
    private static let answer = [
        "response-cache-control", "response-content-disposition", "response-content-encoding",
        "response-content-language", "response-content-type", "response-expires",
    ]
}
