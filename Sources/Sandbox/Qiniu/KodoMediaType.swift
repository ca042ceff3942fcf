import Bytes

/// What a content is, by its first bytes or by a name.
enum KodoMediaType {
    static let unknown = Array("application/octet-stream".utf8)
    private static let text = Array("text/plain".utf8)
    private static let archive = Array("application/zip".utf8)

    /// Texts and archives by the extensions of their names, which their bytes do not tell apart.
    private static let texts: [String: String] = [
        "txt": "text/plain", "html": "text/html", "htm": "text/html", "css": "text/css", "csv": "text/csv",
        "js": "application/javascript", "json": "application/json", "xml": "text/xml", "svg": "image/svg+xml",
        "md": "text/markdown",
    ]
    private static let archives: [String: String] = [
        "zip": "application/zip", "apk": "application/vnd.android.package-archive",
        "jar": "application/java-archive",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ]
    private static let others: [String: String] = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
        "bmp": "image/bmp", "pdf": "application/pdf", "mp4": "video/mp4", "mov": "video/quicktime", "mp3": "audio/mpeg",
        "wav": "audio/wav", "m3u8": "application/x-mpegurl", "ts": "video/mp2t", "gz": "application/gzip",
    ]

    /// By the first bytes; a text or an archive more exactly by its name.
    /// - Returns: nil where the bytes tell nothing.
    static func detected(_ sample: [UInt8], names: [[UInt8]]) -> [UInt8]? {
        guard let type = signed(sample) else { return isText(sample) ? markup(sample) ?? plainText(names) : nil }
        return type == archive ? named(names, among: archives) ?? archive : type
    }

    /// What a browser would show as a page or an image, whatever its name (WHATWG MIME Sniffing, section 7.1).
    private static func markup(_ sample: [UInt8]) -> [UInt8]? {
        let start = sample.drop { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }.map(\.lowercasedASCII)
        let pages = [
            "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style",
            "<title", "<b", "<body", "<br", "<p",
        ]
        let isPage = pages.contains { tag in
            start.starts(with: tag.utf8)
                && start.dropFirst(tag.utf8.count).first.map { $0 == 0x20 || $0 == UInt8(ascii: ">") } ?? false
        }
        if isPage { return Array("text/html".utf8) }
        let isImage = start.first == UInt8(ascii: "<") && start.firstRange(of: Array("<svg".utf8)) != nil
        return isImage ? Array("image/svg+xml".utf8) : start.starts(with: "<?xml".utf8) ? Array("text/xml".utf8) : nil
    }

    /// By a name, as far as the bytes could be that: a page or an image would have told itself.
    private static func plainText(_ names: [[UInt8]]) -> [UInt8] {
        let type = named(names, among: texts) ?? text
        return type.elementsEqual("image/svg+xml".utf8) ? text : type
    }

    /// By the extension of the first name that has a known one.
    static func named(_ names: [[UInt8]]) -> [UInt8]? {
        named(names, among: others) ?? named(names, among: texts) ?? named(names, among: archives)
    }

    private static func named(_ names: [[UInt8]], among types: [String: String]) -> [UInt8]? {
        for name in names {
            if let type = types[fileExtension(of: name).dropFirst().map(\.lowercasedASCII).text] {
                return Array(type.utf8)
            }
        }
        return nil
    }

    /// What stands in a name from its last full stop on; empty where there is none behind the last slash.
    static func fileExtension(of name: [UInt8]) -> [UInt8] {
        let last = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? []
        return last.lastIndex(of: UInt8(ascii: ".")).map { Array(last[$0...]) } ?? []
    }

    private static func signed(_ sample: [UInt8]) -> [UInt8]? {
        let marks: [(at: Int, bytes: [UInt8], type: String)] = [
            (0, [0xFF, 0xD8, 0xFF], "image/jpeg"), (0, [0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A], "image/png"),
            (0, Array("GIF87a".utf8), "image/gif"), (0, Array("GIF89a".utf8), "image/gif"),
            (8, Array("WEBPVP".utf8), "image/webp"), (8, Array("WAVEfmt ".utf8), "audio/wav"),
            (0, Array("BM".utf8), "image/bmp"),
            (0, Array("%PDF-".utf8), "application/pdf"), (0, Array("PK".utf8) + [3, 4], "application/zip"),
            (4, Array("ftypqt".utf8), "video/quicktime"), (4, Array("ftyp".utf8), "video/mp4"),
            (0, Array("ID3".utf8), "audio/mpeg"), (0, [0x1F, 0x8B, 8], "application/gzip"),
        ]
        let found = marks.first { sample.dropFirst($0.at).starts(with: $0.bytes) }
        // A text may begin like a bitmap.
        guard let found, found.type != "image/bmp" || !isText(sample) else { return nil }
        return Array(found.type.utf8)
    }

    /// Whether the bytes are UTF-8 without control characters but those of lines, the last character perhaps cut.
    private static func isText(_ sample: [UInt8]) -> Bool {
        guard !sample.isEmpty, !sample.contains(where: { $0 < 0x20 && ![9, 10, 12, 13, 27].contains($0) }) else {
            return false
        }
        let mostCut = sample.count < KodoContent.sampleLength ? 0 : 3
        return (0...mostCut).contains { UTF8Text.isWellFormed(Array(sample.dropLast($0)).span) }
    }
}
