import Foundation

enum JSON {
    /// Of the service's answers: its times are RFC 3339 in UTC, in whole seconds.
    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    /// The same for one answer, whose header may say what its body does not.
    static func decoder(of answer: HTTPAnswer) -> JSONDecoder {
        let decoder = decoder
        if let key = CodingUserInfoKey.answerDate { decoder.userInfo[key] = answer.date }
        return decoder
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
