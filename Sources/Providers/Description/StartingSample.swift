/// What a starting configuration has for one vendor, in lines of JSON5. In it `CALLERS` stands for who may use a grant, `CALLER` for
/// one of them, and `NAME` for that one's `${caller.id}`.
package struct StartingSample: Sendable {
    /// The environment variable that its secret is read from.
    package let variable: String
    package let credential: String
    package let grants: String
    package let policyTests: String

    /// Tests that a route gives URLs of a caller's own objects, and of no others.
    static func downloads(by route: String) -> String {
        """
        {
          caller: "CALLER", route: "\(route)",
          parameters: { key: "users/NAME/a.jpg", method: "GET" }, expect: "allow",
        },
        {
          caller: "CALLER", route: "\(route)",
          parameters: { key: "users/other/a.jpg", method: "GET" }, expect: "deny",
        },
        """
    }

    /// Tests that a route gives temporary keys to callers who are known.
    static func sessions(of route: String) -> String {
        """
        { caller: "CALLER", route: "\(route)", expect: "allow" },
        { caller: "anonymous", route: "\(route)", expect: "unauthenticated" },
        """
    }
}
