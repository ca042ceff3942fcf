@testable import Bytes
@testable import Providers

/// What a question reads in a vendor's answer: the text of a JSON answer, or else a word for what it means.
func reading(_ question: any VendorQuestion, _ body: [UInt8], status: Int = 200) -> String {
    do throws(VendorFault) {
        switch try question.read(UpstreamAnswer(status: status, body: body)) {
        case .json(let text): return text.text
        case .absent: return "absent"
        case .unacceptable: return "unacceptable"
        }
    } catch {
        switch error {
        case .keyRefused(let status): return "key refused \(status)"
        case .requestRefused(let status): return "request refused \(status)"
        case .status(let status): return "status \(status)"
        case .unreadable: return "unreadable"
        }
    }
}

func reading(_ question: any VendorQuestion, _ body: String, status: Int = 200) -> String {
    reading(question, Array(body.utf8), status: status)
}
