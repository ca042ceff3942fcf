import Bytes
import Crypto
import Machine
import Net

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One vendor's buckets on the disk, shared by all connections: `objects/VENDOR/BUCKET` holds the objects as plain files, `records`
/// what the vendor knows of each, `uploads` what is not complete yet, which is gone after a restart.
final class ObjectStore: Sendable {
    private let objects: String
    private let records: String
    private let uploads: String
    private let buckets: Guarded<[[UInt8]: Bucket]>

    /// - Parameter data: the sandbox's folder.
    init(_ vendor: Vendor, in data: String) throws(StoreFault) {
        objects = "\(data)/objects/\(vendor.rawValue)"
        records = "\(data)/records/\(vendor.rawValue)"
        uploads = "\(data)/uploads/\(vendor.rawValue)"
        for folder in [objects, records, uploads] {
            if let fault = NewFolder.make(folder) { throw .disk("the folder \(folder) \(fault)") }
            guard Bucket.isFolder(folder) else {
                throw .disk("the folder \(folder) is a link, and links are not followed; use a folder of its own")
            }
        }
        var all: [[UInt8]: Bucket] = [:]
        for name in FolderNames.read(objects) where ObjectStore.isBucketName(Array(name.utf8)) {
            all[Array(name.utf8)] = try ObjectStore.bucket(name, objects, records, uploads)
        }
        // The buckets have asked for them.
        for name in FolderNames.read(uploads) {
            // Unsafe: the path is lent for the call.
            unsafe unlink("\(uploads)/\(name)")
        }
        buckets = Guarded(all)
    }

    /// Names that all vendors take: lower-case letters, digits and hyphens, 3 to 63 of them, a letter or digit at both ends.
    static func isBucketName(_ name: [UInt8]) -> Bool {
        ByteSet.lowercaseLabel.contains(all: name, length: 3...63) && name.first != UInt8(ascii: "-")
            && name.last != UInt8(ascii: "-")
    }

    // MARK: Buckets

    /// In the order of their bytes.
    var bucketNames: [[UInt8]] { buckets.withLock { $0.keys.sorted { $0.precedes($1) } } }

    func hasBucket(_ name: [UInt8]) -> Bool { buckets.withLock { $0[name] != nil } }

    /// Makes a bucket where there is none. The name must be a bucket's name.
    func makeBucket(_ name: [UInt8]) throws(StoreFault) {
        guard ObjectStore.isBucketName(name) else { throw .noSuchBucket }
        try buckets.withLock { (all) throws(StoreFault) in
            guard all[name] == nil else { return }
            all[name] = try ObjectStore.bucket(name.text, objects, records, uploads)
        }
    }

    private static func bucket(
        _ name: String, _ objects: String, _ records: String, _ uploads: String
    ) throws(StoreFault) -> Bucket {
        try Bucket(folder: "\(objects)/\(name)", records: "\(records)/\(name)", uploads: uploads)
    }

    // MARK: Objects

    func object(_ key: [UInt8], in bucket: [UInt8]) -> StoredObject? { buckets.withLock { $0[bucket]?[key] } }

    /// The object with its bytes as they are now.
    func open(_ key: [UInt8], in bucket: [UInt8]) -> (object: StoredObject, file: ObjectFile)? {
        buckets.withLock { all in
            guard let object = all[bucket]?[key], let file = all[bucket]?.file(of: key) else { return nil }
            return (object, file)
        }
    }

    func list(_ request: ListRequest, in bucket: [UInt8]) throws(StoreFault) -> ObjectListing {
        let listing = buckets.withLock { $0[bucket]?.list(request) }
        guard let listing else { throw .noSuchBucket }
        return listing
    }

    /// - Returns: whether there was such an object.
    func remove(_ key: [UInt8], from bucket: [UInt8]) throws(StoreFault) -> Bool {
        let removed = try buckets.withLock { (all) throws(StoreFault) in try all[bucket]?.remove(key) }
        guard let removed else { throw .noSuchBucket }
        return removed
    }

    /// An empty file for what arrives, which is removed unless it is put.
    func stage() throws(StoreFault) -> StagedFile {
        let name: [UInt8]
        do throws(CryptoError) { name = try SecureRandom.alphanumerics(24) } catch {
            throw .disk("no random name: \(error)")
        }
        return try StagedFile("\(uploads)/\(name.text)")
    }

    /// Makes an object of a file that is complete, in one step: nobody ever finds a part of it.
    /// - Parameters:
    ///   - instant: the time that it has from then on.
    ///   - replaces: whether it may take the place of another object; else `StoreFault.exists` is thrown.
    @discardableResult
    func put(
        _ staged: StagedFile, _ description: ObjectDescription, as key: [UInt8], in bucket: [UInt8],
        at time: Int64, replaces: Bool = true
    ) throws(StoreFault) -> StoredObject {
        let object = StoredObject(
            key: key, size: staged.size, time: time, hash: description.hash, mediaType: description.mediaType,
            metadata: description.metadata)
        try buckets.withLock { (all) throws(StoreFault) in
            guard all[bucket] != nil else { throw .noSuchBucket }
            guard replaces || all[bucket]?[key] == nil else { throw .exists }
            try all[bucket]?.put(staged, object)
        }
        return object
    }
}
