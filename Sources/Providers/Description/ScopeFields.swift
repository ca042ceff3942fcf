import Access

/// The fields by which a grant says what it gives (R13); a route has those of its `GrantScope`.
package struct ScopeFields: FieldGroup {
    package let bucket = Field("bucket", .string, "The bucket.")
    package let keyPrefix = Field("keyPrefix", .template, "The prefix of the keys; ends in / (R13).")
    package let key = Field("key", .template, "The whole key, which the server chooses (R13).")
    package let extensions = Field(
        "extensions", .strings, "The values of `${ext}` in `key`. The default is any 1 to 8 of a-z 0-9.")

    package init() {}
}
