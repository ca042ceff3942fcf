import Foundation

extension Countersign {
    /// Uploads a file to a vendor, by what the service issues for it.
    ///
    /// The file is read in pieces, each of which is sent again if its connection is cut, as often as the retry policy allows. A
    /// credential that ends meanwhile is renewed. The task can be cancelled: the upload can go on later from the last checkpoint.
    /// - Parameters:
    ///   - file: a regular file. It must not change meanwhile.
    ///   - vendor: where it goes.
    ///   - key: the object's whole key; nil for what the grant says.
    ///   - options: how it is uploaded.
    ///   - checkpoint: from where an earlier upload of this file goes on. Of another file, vendor or key, or of one that has changed,
    ///     it is ignored, and the upload begins anew; so is a checkpoint with values that this library does not write.
    ///   - progress: is told, one call at a time, of each piece that the vendor has.
    /// - Throws: `UploadError`, `CancellationError`, or what the app's own source of tokens throws.
    public func upload(
        _ file: URL, to vendor: UploadVendor, key: String? = nil, options: UploadOptions = UploadOptions(),
        from checkpoint: UploadCheckpoint? = nil, progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) async throws -> UploadedObject {
        let last = LastCheckpoint()
        do {
            let pieces = try FilePieces(file)
            let run = UploadRun(client: self, pieces: pieces, vendor: vendor, options: options) { report in
                last.value = report.checkpoint
                progress?(report)
            }
            let usable = checkpoint.flatMap { checkpoint in
                checkpoint.vendor == vendor && checkpoint.file == pieces.identity
                    && (key == nil || key == checkpoint.key) && checkpoint.isSound ? checkpoint : nil
            }
            last.value = usable
            do {
                return try await Countersign.upload(run, key: key, from: usable)
            } catch UploadRun.Setback.refused(let refusal) where refusal.isOfUnknownUpload && last.value != nil {
                // The vendor has forgotten the upload. Once that is no reason to give up.
                last.value = nil
                return try await Countersign.upload(run, key: key, from: nil)
            } catch UploadError.Reason.unrenewableKey where usable != nil && last.value == usable {
                // The service chose the key of the earlier upload, and chooses another one now.
                last.value = nil
                return try await Countersign.upload(run, key: key, from: nil)
            }
        } catch {
            throw try Countersign.uploadError(error, file, last.value)
        }
    }

    /// Has the vendor forget the pieces of an upload that will not go on. NOS forgets them by itself after some time.
    /// - Throws: as `upload`.
    public func abandonUpload(
        _ checkpoint: UploadCheckpoint, options: UploadOptions = UploadOptions()
    ) async throws {
        let pieces = FilePieces(URL(filePath: "/dev/null"), checkpoint.file)
        let run = UploadRun(client: self, pieces: pieces, vendor: checkpoint.vendor, options: options, progress: nil)
        do {
            guard checkpoint.isSound else {
                throw UploadError.Reason.unusableAnswer("the checkpoint was changed; upload the file again without it")
            }
            switch checkpoint.vendor {
            case .qiniu: try await QiniuUpload(run, key: checkpoint.key, from: nil).abandon(checkpoint)
            case .nos: break
            case .oss: try await OSSUpload(run: run, wantedKey: checkpoint.key).abandon(checkpoint)
            }
        } catch {
            throw try Countersign.uploadError(error, nil, checkpoint)
        }
    }

    private static func upload(
        _ run: UploadRun, key: String?, from checkpoint: UploadCheckpoint?
    ) async throws -> UploadedObject {
        switch run.vendor {
        case .qiniu: try await QiniuUpload(run, key: key, from: checkpoint).upload()
        case .nos: try await NOSUpload(run, key: key, from: checkpoint).upload()
        case .oss: try await OSSUpload(run: run, wantedKey: key).upload(from: checkpoint)
        }
    }

    /// - Throws: what is to be told as it is.
    private static func uploadError(
        _ error: any Error, _ file: URL?, _ checkpoint: UploadCheckpoint?
    ) throws -> UploadError {
        let reason: UploadError.Reason
        switch error {
        case let error as UploadError.Reason: reason = error
        case let error as CountersignError: reason = .service(error)
        case UploadRun.Setback.lost(let error): reason = .connection(error)
        case UploadRun.Setback.refused(let refusal): reason = .vendor(refusal)
        default: throw error
        }
        return UploadError(reason: reason, file: file, checkpoint: checkpoint)
    }
}

/// The last checkpoint that was reported.
private final class LastCheckpoint: @unchecked Sendable {
    // Unsafe: all that changes is guarded by the lock.
    private let lock = NSLock()
    private var stored: UploadCheckpoint?

    var value: UploadCheckpoint? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}
