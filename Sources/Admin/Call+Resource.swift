import Administration
import ASCII
import HTTP
import JSON
import OpenSSL

extension Admin.Call {
    // MARK: Bodies

    /// - Throws: `Problem` when it is no JSON object (of one of the media types).
    func body(_ mediaTypes: String...) throws -> JSON {
        let accepted = mediaTypes.isEmpty ? ["application/json"] : mediaTypes
        guard let type = request.mediaType, accepted.contains(type) else {
            throw Problem(.wrongMediaType, "the body has to be \(accepted.joined(separator: " or "))")
        }
        let json: JSON
        do { json = try JSON(parsing: request.body) } catch {
            throw Problem(.badRequest, "the body is not JSON: \(error)")
        }
        guard json.objectValue != nil else { throw Problem(.badRequest, "the body has to be a JSON object") }
        return json
    }

    // MARK: Answers

    /// A thing that there is one of, with its `ETag`; 304 when the caller has it.
    func resource(_ json: JSON, status: Int = 200) -> Response {
        let tag = Admin.entityTag(of: json)
        var response: Response
        if status == 200, request.method == .get || request.method == .head,
            EntityTags(request.headers["if-none-match"]).holds(tag)
        {
            response = Response(status: 304)
            response.headers.set("Cache-Control", "no-store")
        } else {
            response = .json(status: status, json.serialized())
        }
        response.headers.set("ETag", tag)
        return response
    }

    /// A page of a list.
    /// - Parameter next: the value of `after` that gives the next one; nil on the last.
    func list(_ items: [JSON], next: String?) -> Response {
        var members: [JSON.Member] = [.init("items", .array(items))]
        if let next { members.append(.init("next", .string(next))) }
        return .json(JSON.object(members).serialized())
    }

    /// A page of a list.
    /// - Parameters:
    ///   - found: what is on the page, and one more if there is more.
    ///   - place: what `after` is given to go on behind it.
    func page<Record>(
        of found: [Record], limit: Int64, json: (Record) -> JSON, place: (Record) -> String
    ) -> Response {
        let page = found.prefix(Int(limit))
        return list(page.map(json), next: found.count > page.count ? page.last.map(place) : nil)
    }

    func done() -> Response {
        Response(status: 204, headers: Headers([("Cache-Control", "no-store")]))
    }

    // MARK: Conditions (RFC 9110 §13.1)

    /// What `If-Match` and `If-None-Match: *` ask of the thing that is to be changed.
    var precondition: Precondition {
        let match = request.headers["if-match"]
        let noneMatch = request.headers["if-none-match"]
        return { json in
            let tag = json.map(Admin.entityTag)
            if let match, !(tag.map(EntityTags(match).holds) ?? false) { throw AdministrationError.hasChanged }
            if let noneMatch, let tag, EntityTags(noneMatch).holds(tag) { throw AdministrationError.hasChanged }
        }
    }
}

extension Admin {
    /// Of what the thing says: the same content has the same tag.
    static func entityTag(of json: JSON) -> String {
        "\"\(SHA256.hash(canonical(json).serialized()).prefix(16).hexadecimal)\""
    }
}

/// The value of `If-Match` or `If-None-Match`.
struct EntityTags {
    private let tags: [Substring]

    init(_ field: String?) {
        tags = (field ?? "").split(separator: ",").map { tag in
            let trimmed = tag.drop { $0 == " " }
            let end = trimmed.lastIndex { $0 != " " }
            return end.map { trimmed[...$0] } ?? ""
        }
    }

    func holds(_ tag: String) -> Bool { tags.contains { $0 == "*" || $0 == tag } }
}
