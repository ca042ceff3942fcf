import Foundation
import TestPeers
import TestTraits
import Testing

@testable import TestService

/// What Kubernetes mounts into a pod, and changes there while the service runs.
@Suite("Secrets that Kubernetes mounts: reload", .waiting, .timeLimit(.minutes(20)))
struct MountedSecretTests {
    private static let watching = #"reload: { interval: "100ms" },"#

    @Test func `a secret whose mount is swapped signs from then on, and no request is lost`() throws {
        let volume = try ProjectedVolume(["nos": Setup.nosSecret])
        let setup = Setup(
            name: "mounted",
            credentials: """
                credentials: {
                    "nos": { provider: "nos", accessKey: "\(Setup.nosAccessKey)", secretKey: { file: "\(volume.path)/nos" } },
                  }
                """,
            rest: """
                grants: { "all": { route: "nos.token", credential: "nos", callers: ["anonymous"], public: true,
                    bucket: "bucket", unscoped: true } },
                  \(Self.watching)
                """)
        try Service.run(setup, .epoll) { service in
            func signs(by secret: String) throws {
                let token = try service.get("/nos/token?object=a").json["token"]?.string
                #expect(try UploadTokenReading(nos: token, secret: secret).policy["Bucket"]?.string == "bucket")
            }
            try signs(by: Setup.nosSecret)
            let load = Load(4, on: service.port)
            for round in 2...6 {
                try load.wait(forMore: 50)
                let secret = "secret-\(round)-of-the-end-to-end-tests"
                try volume.swap(to: ["nos": secret])
                try service.waitFor(generation: round)
                try signs(by: secret)
            }
            try load.wait(forMore: 50)
            #expect(load.end() == [])
            #expect(Set(load.answered).count == load.answered.count && load.answered.count > 300)
        }
    }
}
