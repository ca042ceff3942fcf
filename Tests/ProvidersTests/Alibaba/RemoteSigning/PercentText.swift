/// Percent-encoding as the vendors' documents tell it, with nothing of ours.
enum PercentText {
    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// - Parameter marks: what else stays as it is.
    static func encode(_ bytes: [UInt8], keeping marks: String) -> String {
        var isKept = [Bool](repeating: false, count: 256)
        for byte in letters + Array(marks.utf8) { isKept[Int(byte)] = true }
        var out: [UInt8] = []
        for byte in bytes {
            if isKept[Int(byte)] {
                out.append(byte)
            } else {
                out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
