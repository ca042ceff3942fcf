import Bytes
import HTTP

/// What a list of the page is asked by.
struct ConsoleQuery {
    /// What each entry must have in it; empty for all.
    private(set) var search: [UInt8] = []
    /// Where the page before ended; nil for the first.
    private(set) var position: Int64?

    init(_ request: borrowing Request) throws(Refusal) {
        var parameters = Parameters()
        do throws(ParameterError) { try parameters.read(form: request.query) } catch {
            throw Refusal(.invalidParameter, "the query is not well encoded")
        }
        for entry in parameters.entries {
            let value = parameters.bytes(entry.value)
            if parameters.bytes(entry.name).equals("search") {
                guard value.count <= 200 else { throw Refusal(.invalidParameter, "search must be at most 200 bytes") }
                search = value.array
            } else if parameters.bytes(entry.name).equals("after") || parameters.bytes(entry.name).equals("before") {
                guard let number = Decimal.parse(value) else {
                    throw Refusal(.invalidParameter, "after and before must be what the page before says")
                }
                position = number
            } else {
                throw Refusal(
                    .unknownParameter, "there is a parameter that is not known; there are search, after, before")
            }
        }
    }
}
