import Bytes
import Foundation
import Testing

@testable import Telemetry

@Suite("Prometheus' text format")
struct ExpositionTests {
    /// A sample as whoever reads the format finds it.
    private struct Sample {
        private static let escapes: [Unicode.Scalar: Unicode.Scalar] = ["\\": "\\", "\"": "\"", "n": "\n"]

        let name: String
        let labels: [String: String]
        let value: String

        /// Reads a line by the rules of the format, version 0.0.4; nil for one that breaks them.
        init?(_ line: String) {
            guard let cut = line.lastIndex(of: " "), line[line.index(after: cut)...].contains(where: \.isNumber) else {
                return nil
            }
            value = String(line[line.index(after: cut)...])
            let head = Array(line[..<cut].unicodeScalars)
            let end = head.firstIndex(of: "{") ?? head.count
            name = String(String.UnicodeScalarView(head[..<end]))
            guard name.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil else { return nil }
            var labels: [String: String] = [:]
            var index = end + 1
            while index < head.count, head[index] != "}" {
                guard let sign = head[index...].firstIndex(of: "="), head[sign...].dropFirst().first == "\"" else {
                    return nil
                }
                let label = String(String.UnicodeScalarView(head[index..<sign]))
                guard label.wholeMatch(of: /[a-zA-Z_][a-zA-Z0-9_]*/) != nil, labels[label] == nil else { return nil }
                var text = String.UnicodeScalarView()
                index = sign + 2
                while index < head.count, head[index] != "\"" {
                    if head[index] == "\\" {
                        index += 1
                        guard index < head.count, let read = Sample.escapes[head[index]] else {
                            return nil
                        }
                        text.append(read)
                    } else {
                        text.append(head[index])
                    }
                    index += 1
                }
                guard index < head.count else { return nil }
                labels[label] = String(text)
                index += 1
                if index < head.count, head[index] == "," { index += 1 }
            }
            guard end == head.count || index == head.count - 1 else { return nil }
            self.labels = labels
        }
    }

    private func text(_ write: (inout Exposition) -> Void) -> String {
        var page = Exposition()
        write(&page)
        return page.text.bytes.text
    }

    private func samples(_ write: (inout Exposition) -> Void) throws -> [Sample] {
        try text(write).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            try #require(Sample(String($0)), "\($0)")
        }
    }

    @Test func `a metric is what it is, its type, and its samples`() {
        let page = text { page in
            page.begin("a_total", .counter, "What there was.")
            page.add(UInt64.max, ("kind", "x"), ("outcome", "ok"))
            page.add(0, ("kind", "y"), ("outcome", "failed"))
            page.add("b", .gauge, "What there is.", -3)
            page.begin("c_seconds", .gauge, "When.")
            page.add(real: 0.25)
        }
        #expect(
            page == """
                # HELP a_total What there was.
                # TYPE a_total counter
                a_total{kind="x",outcome="ok"} 18446744073709551615
                a_total{kind="y",outcome="failed"} 0
                # HELP b What there is.
                # TYPE b gauge
                b -3
                # HELP c_seconds When.
                # TYPE c_seconds gauge
                c_seconds 0.25

                """)
    }

    @Test(arguments: [
        "", "plain", "a\\b", "\\", "\\\\", "\\n", "a\nb", "\n", "say \"no\"", "\"", "\\\"", "} 1", "\",x=\"1",
        "a,b=c{d}",
        "é 漢字 \u{1F600}", "# HELP a", " ", "\t", "\r\n",
    ])
    func `a label's value is read as it was, whatever stands in it, and stays on its line`(value: String) throws {
        let samples = try samples { page in
            page.begin("a_total", .counter, "What there was.")
            page.add(1, ("first", value), ("second", "after"))
        }
        // By their scalars: a line break of two characters is no single one.
        #expect(samples.count == 1)
        #expect(samples.first?.labels["first"].map { Array($0.utf8) } == Array(value.utf8))
        #expect(samples.first?.labels["second"] == "after" && samples.first?.value == "1")
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a histogram's buckets only rise, end in +Inf, and that is its count`(seed: UInt64) throws {
        // Numbers that look random, and are the same in every run.
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        let counters = Counters(Histogram.size)
        var times: [UInt64] = []
        for _ in 0..<200 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            times.append(state % (1 << (10 + state % 24)))
        }
        for time in times { Histogram.add(time, to: counters, at: 0) }
        let samples = try samples { page in
            page.begin("t_seconds", .histogram, "How long.")
            page.add(histogram: (0..<Histogram.size).map { counters[$0] }, ("route", "r"))
        }
        let buckets = samples.filter { $0.name == "t_seconds_bucket" }
        #expect(buckets.count == Histogram.bounds.count + 1 && samples.allSatisfy { $0.labels["route"] == "r" })
        #expect(buckets.last?.labels["le"] == "+Inf")
        for (bucket, bound) in zip(buckets, Histogram.bounds) {
            let end = try #require(Double(bucket.labels["le"] ?? ""))
            #expect((end * 1e9).rounded() == Double(bound))
            #expect(Int(bucket.value) == times.count { $0 <= bound })
        }
        let counts = buckets.compactMap { Int($0.value) }
        #expect(counts == counts.sorted() && counts.last == times.count)
        #expect(samples.filter { $0.name == "t_seconds_count" }.map(\.value) == ["\(times.count)"])
        let sum = try #require(samples.first { $0.name == "t_seconds_sum" }.flatMap { Double($0.value) })
        #expect(abs(sum - Double(times.reduce(0, +)) / 1e9) < 1e-9)
    }

    @Test func `what is no histogram's counts is not shown`() {
        for size in [0, 1, Histogram.size - 1, Histogram.size + 1] {
            #expect(text { $0.add(histogram: [UInt64](repeating: 1, count: size), ("route", "r")) } == "")
        }
    }
}
