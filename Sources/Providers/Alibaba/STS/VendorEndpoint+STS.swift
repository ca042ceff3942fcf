import Bytes

/// Where STS is, of which every region has one.
extension VendorEndpoint {
    /// The vendor's endpoint for a region; the global one for none.
    package init(region: [UInt8]?) throws(Fault) {
        guard let region else {
            try self.init(StaticString("https://sts.aliyuncs.com").array)
            return
        }
        guard VendorEndpoint.isRegion(region) else { throw Fault(reason: "must be a region such as cn-hangzhou") }
        try self.init(Array(text: "https://sts.\(region.text).aliyuncs.com"))
    }

    static func isRegion(_ text: [UInt8]) -> Bool {
        ByteSet.label.contains(all: text, length: 2...40) && !text.starts(with: StaticString("oss-").array)
            && text.allSatisfy { $0 == $0.lowercasedASCII }
            && text.first != UInt8(ascii: "-") && text.last != UInt8(ascii: "-")
    }
}
