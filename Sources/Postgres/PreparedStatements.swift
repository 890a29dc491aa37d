import CPostgreSQL

/// Which statements one connection has prepared.
///
/// A statement is prepared with the types of the parameters it is first used with. A NULL says no type; so a statement
/// that once came with a NULL and then comes with, say, an integer may need a second variant, under a name of its own.
struct PreparedStatements {
    struct Variant {
        let statement: Int
        let number: Int
    }

    enum State {
        case unprepared
        /// The message that prepares it is on its way, and may yet be refused.
        case preparing
        case prepared
    }

    private struct Known {
        let name: String
        let types: [Oid]
        let kinds: [Parameter.Kind]
        var state = State.unprepared
    }

    private var known: [[Known]] = []

    /// The variant to send with these parameters, made if there is none that fits.
    mutating func variant(of statement: Statement, taking parameters: [Parameter]) -> Variant {
        while known.count <= statement.index { known.append([]) }
        let variants = known[statement.index]
        for (number, variant) in variants.enumerated() where PreparedStatements.fits(variant, parameters) {
            return Variant(statement: statement.index, number: number)
        }
        let kinds = parameters.map(\.kind)
        // The server looks at the first 63 bytes of a name only; the number keeps long ones apart.
        let name = "\(statement.name.prefix(40))#\(statement.index)/\(variants.count)"
        known[statement.index].append(Known(name: name, types: kinds.map(\.rawValue), kinds: kinds))
        return Variant(statement: statement.index, number: variants.count)
    }

    private static func fits(_ variant: Known, _ parameters: [Parameter]) -> Bool {
        guard variant.kinds.count == parameters.count else { return false }
        for index in parameters.indices where !parameters[index].fits(variant.kinds[index]) { return false }
        return true
    }

    subscript(_ variant: Variant) -> State {
        get { known[variant.statement][variant.number].state }
        set { known[variant.statement][variant.number].state = newValue }
    }

    func name(of variant: Variant) -> String { known[variant.statement][variant.number].name }

    func withTypes<Result>(
        of variant: Variant, _ body: (String, UnsafeBufferPointer<Oid>) -> Result
    ) -> Result {
        let variant = known[variant.statement][variant.number]
        return variant.types.withUnsafeBufferPointer { body(variant.name, $0) }
    }
}
