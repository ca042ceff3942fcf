import Access

/// What credentials of every provider may hold beside `provider`.
package struct CredentialFields: FieldGroup {
    package let accessKey = Field(
        "accessKey", .string,
        "The public half of the pair; needed, unless it is made up (`sandbox`) or comes from elsewhere (`identity`).")
    package let secretKey = Field("secretKey", .secret, "The secret half, needed likewise.")
    package let sandbox = Field(
        "sandbox", .boolean, default: false,
        "Whether this is a made-up pair to try with, of which is generated what is not given; that of `sts` is given whole, "
            + "with the `endpoints` of a `countersign-sandbox`.")

    package init() {}
}

/// What a credential of a provider may hold beside them whose keys sign here.
package struct SigningCredentialFields: FieldGroup {
    package let previous = Field(
        "previous", .objects(PreviousKeyFields()), default: [],
        "Pairs that signed before: what they have signed is still known (callbacks, `inspect`), and nothing new is signed."
    )

    package init() {}
}

/// A pair that signed before.
package struct PreviousKeyFields: FieldGroup {
    package let accessKey = Field("accessKey", .string, required: true, "The public half of the pair.")
    package let secretKey = Field("secretKey", .secret, required: true, "The secret half.")
    package let until = Field(
        "until", .time, required: true, "When nothing that it has signed is believed any more.")

    package init() {}
}
