import Testing

@Suite("The vendors' own SDKs", .enabled(if: Python.path != nil))
struct SDKTests {
    @Test func `Alibaba's SDKs use temporary credentials, and the checks of them find out what is wrong`() throws {
        try Python.expectSuccess("distribute_token.py", "--self-test")
    }
}
