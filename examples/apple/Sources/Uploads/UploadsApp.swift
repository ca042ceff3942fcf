// This example was not compiled: SwiftUI is on Apple's systems only, and the example was written on Linux.
import SwiftUI
import UniformTypeIdentifiers

@main
struct UploadsApp: App {
    var body: some Scene {
        WindowGroup { UploadsView() }
    }
}

/// Picks files, and shows how far each one is.
struct UploadsView: View {
    @State private var uploads: [FileUpload] = []
    @State private var destination = Destination.qiniu
    @State private var picks = false
    @State private var notice: String?

    var body: some View {
        NavigationStack {
            List {
                Picker("To", selection: $destination) {
                    ForEach(Destination.allCases) { Text($0.rawValue) }
                }
                if let notice { Text(notice).foregroundStyle(.red) }
                ForEach(uploads) { UploadRow(upload: $0) }
            }
            .navigationTitle("Uploads")
            .toolbar { Button("Pick files") { picks = true } }
        }
        .fileImporter(isPresented: $picks, allowedContentTypes: [.item], allowsMultipleSelection: true) { result in
            switch result {
            case .success(let files): files.forEach(add)
            case .failure(let error): notice = error.localizedDescription
            }
        }
    }

    private func add(_ file: URL) {
        // The app may read a file outside its own folder from here on. Files that it may read anyway answer false.
        _ = file.startAccessingSecurityScopedResource()
        let type = UTType(filenameExtension: file.pathExtension)?.preferredMIMEType ?? "application/octet-stream"
        let upload = FileUpload(file, to: destination, contentType: type)
        uploads.append(upload)
        upload.start()
    }
}

/// One file: its name, how far it is, a button, and what was said.
struct UploadRow: View {
    let upload: FileUpload

    var body: some View {
        VStack(alignment: .leading) {
            HStack {
                Text(upload.file.lastPathComponent)
                Spacer()
                button
            }
            ProgressView(value: upload.fraction)
            message
        }
    }

    @ViewBuilder private var button: some View {
        switch upload.state {
        case .running: Button("Pause") { upload.pause() }
        case .paused: Button("Resume") { upload.start() }
        case .failed: Button("Try again") { upload.start() }
        case .done: EmptyView()
        }
    }

    @ViewBuilder private var message: some View {
        switch upload.state {
        case .done(let key): Text("Stored as \(key)")
        case .failed(let words): Text(words).foregroundStyle(.red)
        case .running, .paused: EmptyView()
        }
    }
}
