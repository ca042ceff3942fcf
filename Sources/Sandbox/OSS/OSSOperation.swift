import Bytes

/// What a request asks OSS to do.
enum OSSOperation {
    case listBuckets
    case putBucket, bucketInfo, bucketLocation, listObjects, deleteObjects, listUploads
    case putObject, copyObject, getObject, headObject, objectMeta, deleteObject
    case beginUpload, uploadPart, copyPart, completeUpload, abortUpload, listParts

    init(_ request: OSSRequest) throws(OSSError) {
        if let name = OSSSubresource.notDone(request.query) { throw .notImplemented("the parameter \(name)") }
        if request.bucket == nil {
            guard request.isMethod("GET") else { throw .methodNotAllowed }
            self = .listBuckets
        } else if request.key == nil {
            self = try OSSOperation(ofBucket: request)
        } else {
            self = try OSSOperation(ofObject: request)
        }
    }

    private init(ofBucket request: OSSRequest) throws(OSSError) {
        if request.isMethod("GET") {
            self =
                request.has("uploads")
                ? .listUploads
                : request.has("location") ? .bucketLocation : request.has("bucketInfo") ? .bucketInfo : .listObjects
        } else if request.isMethod("PUT") {
            self = .putBucket
        } else if request.isMethod("POST"), request.has("delete") {
            self = .deleteObjects
        } else if request.isMethod("DELETE") {
            throw .notImplemented("to delete a bucket")
        } else {
            throw .methodNotAllowed
        }
    }

    private init(ofObject request: OSSRequest) throws(OSSError) {
        let isPart = request.has("uploadId")
        if request.isMethod("GET") {
            self = isPart ? .listParts : request.has("objectMeta") ? .objectMeta : .getObject
        } else if request.isMethod("HEAD") {
            self = request.has("objectMeta") ? .objectMeta : .headObject
        } else if request.isMethod("PUT") {
            let isCopy = request.head.has("x-oss-copy-source")
            guard isPart == request.has("partNumber") else {
                throw .invalidArgument("partNumber and uploadId are needed together.")
            }
            self = isPart ? (isCopy ? .copyPart : .uploadPart) : isCopy ? .copyObject : .putObject
        } else if request.isMethod("DELETE") {
            self = isPart ? .abortUpload : .deleteObject
        } else if request.isMethod("POST"), isPart {
            self = .completeUpload
        } else if request.isMethod("POST"), request.has("uploads") {
            self = .beginUpload
        } else {
            throw .methodNotAllowed
        }
    }

    /// What a policy must allow for it (RAM's document of actions on OSS).
    var action: StaticString {
        switch self {
        case .listBuckets: "oss:ListBuckets"
        case .putBucket: "oss:PutBucket"
        case .bucketInfo: "oss:GetBucketInfo"
        case .bucketLocation: "oss:GetBucketLocation"
        case .listObjects: "oss:ListObjects"
        case .listUploads: "oss:ListMultipartUploads"
        case .putObject, .copyObject, .beginUpload, .uploadPart, .copyPart, .completeUpload: "oss:PutObject"
        case .getObject, .headObject, .objectMeta: "oss:GetObject"
        case .deleteObject, .deleteObjects: "oss:DeleteObject"
        case .abortUpload: "oss:AbortMultipartUpload"
        case .listParts: "oss:ListParts"
        }
    }
}
