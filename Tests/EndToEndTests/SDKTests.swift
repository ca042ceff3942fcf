import TestTraits
import Testing

@testable import TestService

@Suite("The vendors' own SDKs", .waiting, .enabled(if: Python.path != nil))
struct SDKTests {
    @Test func `Alibaba's SDKs use temporary credentials, and the checks of them find out what is wrong`() throws {
        try Python.expectSuccess("distribute_token.py", "--self-test")
    }

    @Test func `temporary credentials are what stock clients read and Alibaba's SDKs use`() throws {
        let target = "/distribute-token.json"
        let service = "http://127.0.0.1:\(try Service.shared(.sandbox, .epoll).port)\(target)"
        let other = "http://127.0.0.1:\(try Service.shared(.sandboxWithStatusInBody, .epoll).port)\(target)"
        try Python.expectSuccess("distribute_token.py", service, "\(service)?grant=own", "\(other)?grant=own")
    }

    @Test func `Qiniu's SDK uploads with upload tokens what they admit, and nothing else`() throws {
        let service = try Service.shared(.open, .epoll)
        try Python.expectSuccess(
            "qiniu_client.py", "http://127.0.0.1:\(service.port)", Setup.qiniuAccessKey, Setup.qiniuSecret)
    }

    @Test func `URLs and requests are those that Qiniu's and NetEase's SDKs sign for the same moment`() throws {
        let service = try Service.shared(.requests, .epoll)
        try Python.expectSuccess(
            "signed_requests.py", "http://127.0.0.1:\(service.port)", Setup.qiniuAccessKey, Setup.qiniuSecret,
            Setup.cdnKey, Setup.nosAccessKey, Setup.nosSecret, APIKey.alice.key)
    }

    @Test
    func `requests and URLs are those that Alibaba's SDKs sign for the same moment, and hold as they are received`()
        throws
    {
        let service = try Service.shared(.ossRequests, .epoll)
        try Python.expectSuccess(
            "oss_requests.py", "http://127.0.0.1:\(service.port)", Setup.ossAccessKey, Setup.ossSecret)
    }

    @Test func `what sessions sign is what Alibaba's SDKs sign with the same temporary credential`() throws {
        let vendor = try SessionVendor(isConstant: true)
        defer { vendor.stop() }
        try Service.run(.ossRequestsBySession(at: vendor.port), .epoll) { service in
            try service.get("/oss/presigned-url?key=in/a").expectSuccess()
            let session = try #require(vendor.sessions.first)
            try Python.expectSuccess(
                "oss_requests.py", "http://127.0.0.1:\(service.port)", session.accessKey, session.secret, session.token)
        }
    }

    @Test func `Qiniu's SDK signs callbacks that are believed, and none that are changed afterwards`() throws {
        let service = try Service.shared(.callbacks, .epoll)
        try Python.expectSuccess(
            "qiniu_callback.py", "\(service.port)", Setup.qiniuAccessKey, Setup.qiniuSecret)
    }

    @Test func `Alibaba's SDKs have their requests signed remotely, and OSS takes them`() throws {
        let service = try Service.shared(.signing, .epoll)
        try Python.expectSuccess(
            "oss_remote.py", "http://127.0.0.1:\(service.port)", Setup.ossAccessKey, Setup.ossSecret)
    }

    @Test func `of 5,000 random requests of Alibaba's SDKs those are signed that a grant admits, and no others`() throws
    {
        let service = try Service.shared(.signing, .epoll)
        try Python.expectSuccess(
            "oss_differential.py", "http://127.0.0.1:\(service.port)", Setup.ossAccessKey, Setup.ossSecret, "5000")
    }

    @Test func `NetEase's SDK signs as the server that judges signatures says`() throws {
        try Python.expectSuccess("nos_client.py")
    }

    @Test func `OSS forms upload what their policies admit, and RTMP URLs are those that Alibaba's SDK signs`() throws {
        let service = try Service.shared(.forms, .epoll)
        try Python.expectSuccess(
            "oss_forms.py", "http://127.0.0.1:\(service.port)", Setup.ossAccessKey, Setup.ossSecret)
    }
}
