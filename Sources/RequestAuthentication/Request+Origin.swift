import HTTP
import Storage

extension Request {
    /// Where it comes from, for the audit record.
    public var origin: AuditEvent.Origin { AuditEvent.Origin(address: clientAddress, requestID: id) }
}
