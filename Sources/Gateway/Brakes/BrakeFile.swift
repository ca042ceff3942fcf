import Access
import Configuration
import Machine

/// The file of what the operator has stopped: read and written as a whole, by several processes in turn.
struct BrakeFile: Sendable {
    private let file: StateFile
    private let entries: Int

    init(_ settings: Configuration.Brake) {
        file = StateFile(settings.file)
        entries = settings.entries
    }

    var path: String { file.path }

    /// Which writing of it there is; nil for none.
    var mark: StateFile.Mark? { file.mark }

    /// What stands in it: nothing where there is no file.
    /// - Returns: also which writing of it that is.
    func read() throws(BrakeFault) -> (list: BrakeList, mark: StateFile.Mark?) {
        do {
            guard let found = try file.read(atMost: BrakeList.maximumLength) else { return (.empty, nil) }
            return (try list(in: found.bytes), found.mark)
        } catch let fault as BrakeFault {
            throw fault
        } catch {
            throw BrakeFault("\(error)")
        }
    }

    /// Writes what `change` makes of the list that stands there; nothing where it makes no other.
    func update(_ change: (BrakeList) throws(BrakeFault) -> BrakeList) throws(BrakeFault) {
        do {
            try file.update(atMost: BrakeList.maximumLength) { text throws(BrakeFault) in
                let old = try text.map { text throws(BrakeFault) in try list(in: text) } ?? .empty
                let new = try change(old)
                return new == old ? nil : new.text
            }
        } catch let fault as BrakeFault {
            throw fault
        } catch {
            throw BrakeFault("\(error)")
        }
    }

    private func list(in text: [UInt8]) throws(BrakeFault) -> BrakeList {
        let list: BrakeList
        do throws(BrakeFault) { list = try BrakeList(reading: text.span) } catch {
            throw BrakeFault(
                "\(path) \(error); mend it, or move it away: a service that runs writes again what it knows")
        }
        guard list.counted <= entries else {
            throw BrakeFault("\(path) has \(list.counted) brakes, and brake.entries admits \(entries)")
        }
        return list
    }
}
