import Foundation
import Testing

@testable import Bytes
@testable import Crypto
@testable import Providers

/// Checks of vectors of AWS's STS: calls that its SDK signs, and answers that it reads.
enum AWSSTSVectors {
    static func sign(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let moment = try S3Vectors.moment(try #require(input["timestamp"]?.string))
        let authority = SplitURL(try #require(input["url"]?.string)).authority
        func authorization(_ suffix: String) throws -> String? {
            let key = try SigningKey(
                accessKey: try #require(input["accessKeyId"]).bytes,
                secret: Secret(try #require(input["secretAccessKey"]).bytes + Array(suffix.utf8)),
                securityToken: input["sessionToken"]?.string.map { Array($0.utf8) })
            let call = try AWSSignature.signed(
                try #require(input["body"]).bytes, to: Array(authority.utf8),
                region: try #require(input["region"]).bytes, with: key, at: moment)
            return call.headers.last?.value.text
        }
        #expect(try authorization("") == expected["authorization"]?.string)
        #expect(try authorization("x") != expected["authorization"]?.string)
    }

    static func parse(_ vector: Vector) throws {
        let (input, expected) = (try vector.input, try vector.expected)
        let action = try #require(input["action"]?.string)
        let call = try #require(AWSSTS.Call.allCases.first { $0.action.description == action })
        let status = try Int(#require(input["httpStatus"]?.integer))
        let answer = UpstreamAnswer(status: status, body: try #require(input["body"]).bytes)
        let parsed = try #require(expected["parsed"])
        // 2019-11-09T13:00:00Z, when what is given has not ended.
        let now: Int64 = 1_573_304_400
        let credential: SessionCredential
        do throws(SessionFault) {
            credential = try AWSSTSAnswer.read(answer, to: call, at: now, longest: 43_200)
        } catch {
            #expect(error.kind == .vendor && error.code == parsed["Error"]?["Code"]?.string && error.status == status)
            #expect(error.requestID == parsed["ResponseMetadata"]?["RequestId"]?.string)
            return
        }
        let given = try #require(parsed["Credentials"])
        #expect(credential.accessKeyID == given["AccessKeyId"]?.bytes)
        #expect(credential.securityToken == given["SessionToken"]?.bytes)
        #expect(credential.secret.constantTimeEquals(Secret(given["SecretAccessKey"]?.bytes ?? [])))
        #expect(ISO8601.write(credential.expiresAt) == given["Expiration"]?.bytes)
    }
}
