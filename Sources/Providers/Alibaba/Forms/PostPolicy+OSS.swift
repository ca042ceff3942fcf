import Bytes

extension PostPolicy {
    /// A policy of OSS's. The type is a condition on the field `x-oss-content-type`: the vendor takes an object's type from it
    /// first, then from the Content-Type of the file's part, and from the field `content-type` last.
    /// - Parameters:
    ///   - sizes: in bytes.
    ///   - contentTypes: the types that the form may give the object; any when it is empty.
    ///   - fields: what else the form has, such as `callback` or `x-oss-forbid-overwrite`.
    init(sizes: ClosedRange<Int64>, contentTypes: [[UInt8]], fields: [NameValue]) {
        self.init(
            sizes: sizes, typeName: Array("x-oss-content-type".utf8),
            types: contentTypes.isEmpty ? .free : .among(contentTypes),
            fields: fields)
    }
}
