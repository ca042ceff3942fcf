import Access
import Bytes
import Configuration
import Providers

/// A grant in plain words: who gets what, where, for how long, and who enforces it.
struct GrantWords {
    private let grant: Grant
    let text: String

    init(_ grant: Grant) {
        self.grant = grant
        let route = Registry.routes[grant.route].description
        let callers = grant.callers.isEmpty ? "nobody" : grant.callers.map(\.written.text).joined(separator: ", ")
        var text = "\(callers): \(route.summary)"
        switch grant.resources.bucket {
        case .named(let bucket): text += " Bucket \(bucket.text)."
        case .asked: text += " Any bucket that the caller names."
        case .absent: break
        }
        switch grant.resources.target {
        case .key(let key): text += " The key \(key.written.text)."
        case .prefix(let key): text += " Keys that begin with \(key.written.text)."
        case .anything: text += " Any key."
        }
        if grant.neverEnds {
            text += " It never ends."
        } else if route.grant.lifetime != nil {
            let (usual, longest) = (GrantWords.time(grant.lifetimes.usual), GrantWords.time(grant.lifetimes.longest))
            text += " For \(usual), at most \(longest)."
        }
        self.text = text
    }

    /// - Parameter seconds: a lifetime.
    private static func time(_ seconds: Int64) -> String {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? "\(seconds) s" : Units.describe(duration: milliseconds)
    }

    /// Whether name, words or description have a text in them.
    func have(_ search: [UInt8]) -> Bool {
        search.isEmpty || text.contains(search.text) || grant.name.text.contains(search.text)
            || grant.description?.text.contains(search.text) == true
    }

    func write(into json: inout JSONObject) {
        json.add("name", visible: grant.name.text)
        json.add("route", visible: Registry.routes[grant.route].description.name)
        if let description = grant.description { json.add("description", visible: description.text) }
        json.add("words", visible: text)
        let enforcement = Registry.routes[grant.route].description.grant.enforcement + grant.unenforced
        json.add(
            "enforcement",
            array: { list in
                for held in enforcement {
                    list.add(object: { json in
                        json.add("keeper", visible: held.keeper.rawValue)
                        json.add("subject", visible: held.subject)
                        json.add("means", visible: held.means)
                    })
                }
            })
    }
}
