import Foundation
import Testing

@testable import TestService

@Suite("Keys that signed before")
struct PreviousKeyTests {
    private static let old = KodoCallback().with {
        $0.accessKey = Setup.oldKey
        $0.secret = Setup.oldSecret
    }

    @Test func `callbacks are believed by the old key until its end, and not one moment longer`() throws {
        try Service.run(Setup.previousKeys(until: now + 3600)) { service in
            for callback in [PreviousKeyTests.old, KodoCallback()] {
                let answer = try callback.send(to: service, callback.authorization())
                #expect(answer.status == 200, "\(answer.text)")
            }
            // Each with the other's name.
            let mixtures = [
                KodoCallback().with { $0.accessKey = Setup.oldKey },
                KodoCallback().with { $0.secret = Setup.oldSecret },
            ]
            for forged in mixtures {
                try forged.send(to: service, forged.authorization()).expectProblem(401, "unauthenticated")
            }
            let covered = PreviousKeyTests.old.authorization()
            let changed = PreviousKeyTests.old.with { $0.body += "&more=1" }
            try changed.send(to: service, covered).expectProblem(401, "unauthenticated")
            // Its end comes while it is used.
            let end = now + 60
            try service.reload(Setup.previousKeys(until: end), generation: 2)
            for (moment, status) in [(end - 1, 200), (end, 401), (end + 1, 401)] {
                service.clock.stop(at: moment)
                let answer = try PreviousKeyTests.old.send(to: service, PreviousKeyTests.old.authorization())
                #expect(answer.status == status, "\(moment - end): \(answer.text)")
            }
            let callback = KodoCallback().with { $0.date = basicISO8601(now) }
            #expect(try callback.send(to: service, callback.authorization()).status == 200)
        }
    }

    @Test func `nothing new is signed by it, whoever names it`() throws {
        try Service.run(Setup.previousKeys(until: now + 3600)) { service in
            let token = try service.get("/qiniu/uptoken").json["uptoken"]?.string
            #expect(try UploadTokenReading(qiniu: token, secret: Setup.qiniuSecret).accessKey == Setup.qiniuAccessKey)
            let string = Signable().text
            let content = percent(string)
            for name in [Setup.ossAccessKey, Setup.oldKey] {
                let answer = try service.get("/oss/sign?accessKeyId=\(name)&contentToSign=\(content)")
                answer.expectSuccess()
                #expect(answer.json["accessKeyId"] == .string(Setup.ossAccessKey))
                #expect(answer.json["authorization"] == .string(OSSAuthorization.expected(string)))
            }
            let other = try service.get("/oss/sign?accessKeyId=another&contentToSign=\(content)")
            #expect(other.status == 403, "\(other.text)")
        }
    }
}
