import Access
import Bytes

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

    /// The parameters that say more of any operation.
    struct Parameters: ParameterGroup {
        let bucket = Parameter.bucket
        let key = Parameter("key", .key(maximumLength: Qiniu.maximumKeyLength), "The whole key, for stat.")
        let listing = ListingParameters(maximumKeyLength: Qiniu.maximumKeyLength)
    }

    static let parameters = Parameters()

    static let allParameters = parameters.descriptions
    private static let listParameters = [parameters.bucket.description] + parameters.listing.descriptions
    private static let statParameters = [parameters.bucket.description, parameters.key.description]

    /// The parameters that say more of it.
    var parameters: [ParameterDescription] {
        switch self {
        case .list: ManagementOperation.listParameters
        case .stat: ManagementOperation.statParameters
        case .buckets: []
        }
    }

    var level: OperationTable.Level {
        switch self {
        case .list: .bucket
        case .stat: .object
        case .buckets: .service
        }
    }

    /// How it stands in paths.
    var segment: [UInt8] { Array(rawValue.utf8) }

    /// What tells in the table which operation an ask is, and how much of it is asked.
    func names(in ask: borrowing Ask) -> [[UInt8]] {
        var names = [segment]
        guard self == .list else { return names }
        for parameter in parameters where ask.has(parameter) { names.append(Array(parameter.name.utf8)) }
        return names
    }

    /// The first segment of the path is what makes the operation; a listing's prefix is in what is signed, so that a grant for a
    /// prefix is enough for it.
    static let table = OperationTable(
        allCases.map {
            OperationTable.Operation(
                method.text, $0.level, [$0.rawValue], query: $0 == .list ? $0.parameters.map(\.name) : [],
                reach: $0 == .buckets ? .service : .object)
        })

    static let method = Array("GET".utf8)
}
