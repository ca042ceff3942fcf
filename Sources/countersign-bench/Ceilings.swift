import Bytes
import Configuration
import Machine

/// The most allocations that each operation may make: a JSON object of names and numbers.
struct Ceilings {
    private let limits: [(name: String, most: UInt64)]

    init(file: String) throws {
        guard let text = Environment.process.file(file)?.bytes else { throw RowError("\(file) cannot be read") }
        guard case .object(let members) = try JSONReader.read(text, as: .json).content else {
            throw RowError("\(file) must hold an object")
        }
        limits = try members.map { member in
            guard case .number(let number) = member.value.content,
                let most = number.integer.flatMap(UInt64.init(exactly:))
            else { throw RowError("\(file): \(member.name.text) must be a whole number") }
            return (member.name.text, most)
        }
    }

    /// What is wrong, a sentence each; empty when nothing is.
    func faults(of measurements: [Measurement]) -> [String] {
        let strangers = limits.filter { limit in !Row.all.contains { $0.name == limit.name } }
        return strangers.map { "\($0.name): there is a ceiling and no such operation" }
            + measurements.compactMap { fault(of: $0) }
    }

    /// Which ceilings could be lower by now.
    func hints(about measurements: [Measurement]) -> [String] {
        measurements.compactMap { measurement in
            let name = measurement.row.name
            let needed = Ceilings.needed(by: measurement)
            guard let limit = limits.first(where: { $0.name == name }), needed < limit.most else { return nil }
            return "\(name): the ceiling is \(limit.most) and could be \(needed)"
        }
    }

    /// The lowest ceiling that an operation is not above.
    private static func needed(by measurement: Measurement) -> UInt64 {
        let operations = UInt64(Measurement.operations)
        return (measurement.program.count + operations - 1) / operations
    }

    private func fault(of measurement: Measurement) -> String? {
        let name = measurement.row.name
        let needed = Ceilings.needed(by: measurement)
        guard let limit = limits.first(where: { $0.name == name }) else {
            return "\(name): there is no ceiling; today's would be \(needed)"
        }
        guard needed > limit.most else { return nil }
        return
            "\(name): \(Report.number(measurement.program.count)) allocations, and at most \(limit.most) are allowed;"
            + " --trace shows where they are made"
    }
}
