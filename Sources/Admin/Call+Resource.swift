import Administration
import ASCII
import HTTP
import JSON
import OpenSSL
import Telemetry

extension Admin.Call {
    // MARK: Bodies

    /// - Throws: `Problem` when it is no JSON object (of one of the media types).
    func body(_ mediaTypes: String...) throws -> JSON {
        let accepted = mediaTypes.isEmpty ? ["application/json"] : mediaTypes
        guard request.headers.all("content-type").count == 1, let type = request.mediaType, accepted.contains(type)
        else {
            throw Problem(.wrongMediaType, "the body has to be \(accepted.joined(separator: " or "))")
        }
        let json: JSON
        do { json = try JSON(parsing: request.body) } catch {
            throw Problem(.badRequest, "the body is not JSON: \(error)")
        }
        guard json.objectValue != nil else { throw Problem(.badRequest, "the body has to be a JSON object") }
        return json
    }

    /// - Throws: `Problem` when there are other members than these.
    func refuseOthers(in body: JSON, _ names: String...) throws(Problem) {
        let others = (body.objectValue ?? []).map(\.name).filter { !names.contains($0) }
        guard others.isEmpty else {
            throw Problem(invalid: others.map { .init(field: $0, reason: "is unknown here") })
        }
    }

    /// `expires_at` of a body as Unix seconds; nil when it is null or missing: never.
    func expiry(in body: JSON, now: Int64) throws(Problem) -> Int64? {
        guard let json = body["expires_at"], json != .null else { return nil }
        guard let seconds = json.stringValue.flatMap(Timestamp.unixSeconds) else {
            throw .field("expires_at", "must be null or a time such as 2026-01-31T23:59:59Z (RFC 3339)")
        }
        guard seconds > now else { throw .field("expires_at", "must be in the future") }
        return seconds
    }

    /// A number in the path.
    /// - Throws: not found: what is no number is nobody's id.
    func identifier(_ name: String, of kind: String) throws(Problem) -> Int64 {
        let text = parameter(name)
        guard text.utf8.allSatisfy(ASCII.isDigit), let number = Int64(text) else {
            throw Problem(.notFound, "there is no \(kind) \(text)")
        }
        return number
    }

    // MARK: Answers

    /// A thing that there is one of, with its `ETag`; 304 when the caller has it, 412 when it is not the one they mean.
    /// - Parameter segment: behind the path of the request, where a new thing is from now on.
    func resource(_ json: JSON, status: Int = 200, at segment: String? = nil) -> Response {
        let tag = Admin.entityTag(of: json)
        if request.method == .get || request.method == .head {
            if ifMatch?.match(tag) == false { return Problem(AdministrationError.hasChanged).response(to: request) }
            if ifNoneMatch?.matchWeakly(tag) == true {
                return Response(status: 304, headers: Headers([("ETag", tag), ("Cache-Control", "no-store")]))
            }
        }
        // What was rolled back has not been created, has no tag and is nowhere.
        guard !isDryRun else { return .json(json.serialized()) }
        var response = Response.json(status: status, json.serialized())
        response.headers.set("ETag", tag)
        if let segment { response.headers.set("Location", "\(request.path)/\(segment)") }
        return response
    }

    /// What has been made, with a secret that no other answer holds; a dry run has none that would be worth anything.
    func created(_ json: JSON, tellingOnce name: String, _ text: String, id: Int64) -> Response {
        guard !isDryRun else { return .json(json.serialized()) }
        let members = (json.objectValue ?? []) + [.init(name, .string(text))]
        var response = Response.json(status: 201, JSON.object(members).serialized())
        response.headers.set("Location", "\(request.path)/\(id)")
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

    /// What `If-Match` and `If-None-Match` ask of the thing that is to be changed.
    var precondition: Precondition {
        { [ifMatch, ifNoneMatch] json in
            let tag = json.map(Admin.entityTag)
            if let ifMatch, !(tag.map(ifMatch.match) ?? false) { throw AdministrationError.hasChanged }
            if let ifNoneMatch, let tag, ifNoneMatch.matchWeakly(tag) { throw AdministrationError.hasChanged }
        }
    }
}

extension Admin {
    /// Of what the thing says: the same content has the same tag.
    static func entityTag(of json: JSON) -> String {
        "\"\(SHA256.hash(canonical(json).serialized()).prefix(16).hexadecimal)\""
    }
}
