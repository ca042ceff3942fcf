import Access

/// What credentials of every provider may hold beside `provider`.
package struct CredentialFields: FieldGroup {
    package let accessKey = Field(
        "accessKey", .string,
        "The access key, the public half of the pair. Required, unless `sandbox` makes it up or it comes from `identity`."
    )
    package let secretKey = Field("secretKey", .secret, "The secret key. Required in the same cases.")
    package let sandbox = Field(
        "sandbox", .boolean, default: false,
        "Whether this is a pair for trying things out. The service makes up what is not given. Where sessions are "
            + "asked for, give all of it, with `endpoints` on this machine.")

    package init() {}
}

/// What a credential of a provider may hold beside them whose keys sign here.
package struct SigningCredentialFields: FieldGroup {
    package let previous = Field(
        "previous", .objects(PreviousKeyFields()), default: [],
        "Pairs that signed before. The service still accepts what they have signed (callbacks, `inspect`), but signs nothing new with them."
    )

    package init() {}
}

/// A pair that signed before.
package struct PreviousKeyFields: FieldGroup {
    package let accessKey = Field("accessKey", .string, required: true, "The access key.")
    package let secretKey = Field("secretKey", .secret, required: true, "The secret key.")
    package let until = Field(
        "until", .time, required: true, "When the service stops accepting what this pair has signed.")

    package init() {}
}
