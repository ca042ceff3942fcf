/// The properties of a group of fields or parameters, in their order.
///
/// A group has no properties but references to them and other groups, so it lies in memory as an array of references. `Mirror` finds the same,
/// but takes so long that every start would wait for it.
enum StoredReferences {
    // Inlined, it knows the element's type; else the runtime looks up by their names how the standard library copies one.
    @inline(__always) static func of<Group, Element: AnyObject>(_ group: Group, _ type: Element.Type) -> [Element] {
        // Unsafe: what stands there are references of this type, as builds for tests ask `Mirror` about each group.
        let found = unsafe withUnsafeBytes(of: group) { unsafe Array($0.assumingMemoryBound(to: Element.self)) }
        assert(found.elementsEqual(mirrored(group, type), by: ===), "\(Group.self) has a property that is none")
        return found
    }

    private static func mirrored<Element: AnyObject>(_ group: Any, _ type: Element.Type) -> [Element] {
        Mirror(reflecting: group).children.flatMap { property in
            (property.value as? Element).map { [$0] } ?? mirrored(property.value, type)
        }
    }
}
