import Access

/// What may be asked of Kodo's management services.
enum ManagementOperation: String, CaseIterable, AskDetail {
    case list, stat, buckets

    /// Qiniu's name for the service that does it, and where that is found.
    var service: (name: String, host: String) {
        switch self {
        case .list: ("rsf", "rsf.qbox.me")
        case .stat: ("rs", "rs.qbox.me")
        case .buckets: ("uc", "uc.qbox.me")
        }
    }

    /// The parameters that say more of it.
    var parameters: [String] {
        switch self {
        case .list: ["bucket", "prefix", "delimiter", "marker", "limit"]
        case .stat: ["bucket", "key"]
        case .buckets: []
        }
    }

    static let allParameters = ["bucket", "key", "prefix", "delimiter", "marker", "limit"]

    var level: OperationTable.Level {
        switch self {
        case .list: .bucket
        case .stat: .object
        case .buckets: .service
        }
    }

    /// How it stands in paths.
    var segment: [UInt8] { Array(rawValue.utf8) }

    /// The first segment of the path is what makes the operation; a listing's prefix is in what is signed, so that a grant for a
    /// prefix is enough for it.
    static let table = OperationTable(
        allCases.map {
            OperationTable.Operation(
                method, $0.level, [$0.rawValue], query: $0 == .list ? $0.parameters : [],
                reach: $0 == .buckets ? .service : .object)
        })

    static let method = "GET"
}
