import Foundation

/// Where a file is uploaded to.
public enum UploadVendor: String, Sendable, Hashable, Codable {
    /// Qiniu Kodo, by an upload token: a form for small files, resumable version 2 for others.
    case qiniu
    /// NetEase NOS, by an upload token: in pieces, each behind the last one.
    case nos
    /// Alibaba Cloud OSS, by presigned URLs: one PUT for small files, parts for others, each signed by the service in turn.
    case oss
}

/// How a file is uploaded.
public struct UploadOptions: Sendable, Hashable {
    /// What the service is asked with: the grant, the bucket, the lifetime.
    public var request: RequestOptions
    /// The object's media type. With OSS it is signed, so the grant must allow it, by `contentTypes` or by `headers`; nil signs and
    /// sends none with a file of one request.
    public var contentType: String?
    /// Other header fields to sign and send with the object, such as `x-oss-forbid-overwrite`; for OSS only.
    public var headers: [String: String]
    /// Whether `Content-Length` is signed, which grants of OSS with `maxSize` want.
    public var signsLength: Bool
    /// Bytes of one piece, from 1 MiB to 4 MiB: what is in memory, sent again after a cut, and counted in the progress. Files of more
    /// than 10,000 pieces have larger ones, except with NOS, which has no such limit.
    public var pieceSize: Int
    /// Files of at most so many bytes go by one request where the vendor has such a way.
    public var singleRequestSize: Int
    /// Where the vendor is reached, such as `http://127.0.0.1:8090` for a sandbox. Nil: for Kodo what its directory says, for NOS
    /// `https://nosup-eastchina1.126.net`, for OSS what the service has signed. Requests to OSS keep the vendor's `Host`.
    public var endpoint: URL?

    /// The smallest and the largest piece.
    static let pieceSizes = 1 << 20...4 << 20
    /// The most pieces that Kodo and OSS take.
    static let mostPieces = 10_000

    /// What is left out is as the vendors recommend it.
    public init(
        request: RequestOptions = RequestOptions(), contentType: String? = "application/octet-stream",
        headers: [String: String] = [:], signsLength: Bool = false, pieceSize: Int = 4 << 20, endpoint: URL? = nil
    ) {
        self.request = request
        self.contentType = contentType
        self.headers = headers
        self.signsLength = signsLength
        self.endpoint = endpoint
        self.pieceSize = pieceSize
        singleRequestSize = UploadOptions.pieceSizes.upperBound
    }

    /// Sizes of pieces that a file can be uploaded in.
    static func pieceSizes(for size: Int64) -> ClosedRange<Int> {
        pieceSizes.lowerBound...max(pieceSizes.upperBound, Int(size / Int64(mostPieces)) + 1)
    }

    /// Bytes of one piece of a file.
    func pieceSize(for size: Int64, limited: Bool) -> Int {
        let wanted = min(max(pieceSize, UploadOptions.pieceSizes.lowerBound), UploadOptions.pieceSizes.upperBound)
        guard limited else { return wanted }
        let least = (size + Int64(UploadOptions.mostPieces) - 1) / Int64(UploadOptions.mostPieces)
        return max(wanted, Int(least))
    }
}
