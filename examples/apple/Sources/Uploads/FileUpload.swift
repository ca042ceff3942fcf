import CountersignClient
import Foundation
import Observation

/// One file on its way, as a view shows it.
@MainActor @Observable
final class FileUpload: Identifiable {
    enum State: Equatable {
        case running
        case paused
        case done(key: String)
        /// With words for the user.
        case failed(String)
    }

    let file: URL
    private(set) var state = State.paused
    /// From 0 to 1.
    private(set) var fraction = 0.0

    private let destination: Destination
    private let key: String
    private let contentType: String
    /// From where the upload goes on. It is `Codable` and holds no secret: an app that stores it can go on after a new start.
    private var checkpoint: UploadCheckpoint?
    private var task: Task<Void, Never>?

    init(_ file: URL, to destination: Destination, contentType: String) {
        self.file = file
        self.destination = destination
        self.contentType = contentType
        key = destination.key(for: file)
    }

    /// Begins, or goes on where the upload has stopped.
    func start() {
        guard state != .running else { return }
        state = .running
        task = Task { await run() }
    }

    func pause() { task?.cancel() }

    private func run() async {
        let options = UploadOptions(
            request: RequestOptions(grant: destination.grant), contentType: contentType, endpoint: Settings.endpoint)
        do {
            let object = try await Settings.client.upload(
                file, to: destination.vendor, key: key, options: options, from: checkpoint
            ) { [weak self] progress in
                Task { @MainActor in self?.note(progress) }
            }
            fraction = 1
            state = .done(key: object.key)
        } catch let error as UploadError {
            checkpoint = error.checkpoint ?? checkpoint
            state = .failed(error.words)
        } catch is CancellationError {
            state = .paused
        } catch {
            state = .failed(error.localizedDescription)
        }
    }

    private func note(_ progress: UploadProgress) {
        // Reports may overtake each other on their way to the main actor.
        guard progress.fraction >= fraction else { return }
        fraction = progress.fraction
        checkpoint = progress.checkpoint ?? checkpoint
    }
}

extension UploadError {
    /// What the user is told.
    var words: String {
        switch reason {
        case .service(let error):
            if case .unauthenticated = error { return "You are not logged in, or your login has ended." }
            guard let problem = error.problem else { return "The service cannot be reached now." }
            return "The service refuses this (\(problem.code)): \(problem.detail)"
        case .vendor(let refusal):
            let name = refusal.code ?? "status \(refusal.status)"
            return "The storage refuses this (\(name)): \(refusal.message ?? "It says no more.")"
        case .connection: return "The connection to the storage was cut."
        case .changedFile: return "The file has changed meanwhile."
        case .unreadableFile: return "The file cannot be read."
        case .unusableAnswer, .missingKey, .unrenewableKey: return "Something is wrong here: \(reason)"
        }
    }
}
