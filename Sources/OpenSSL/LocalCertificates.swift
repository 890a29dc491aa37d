import ASCII
internal import COpenSSL
import Glibc

/// A local certificate authority and a server certificate signed by it: for `seleid dev --tls` and for tests.
///
/// The authority's key is thrown away, so who trusts the authority trusts this one certificate only.
public struct LocalCertificates: Sendable {
    public let authorityCertificatePEM: String
    public let certificatePEM: String
    /// PKCS #8, unencrypted: to be written to a file of mode 0600.
    public let privateKeyPEM: String

    /// - Parameters:
    ///   - names: DNS names and IP addresses for subjectAltName, e.g. `localhost`, `127.0.0.1`, `::1`.
    ///   - days: how long both are valid; browsers take at most 397 for the server's.
    /// - Throws: also when `names` is empty or one is no name.
    public static func make(names: [String], days: Int = 397) throws(OpenSSLError) -> LocalCertificates {
        guard !names.isEmpty, days > 0, days < 36_500 else {
            throw OpenSSLError(description: "a certificate needs a name and 1 to 36499 days")
        }
        var alternatives: [String] = []
        for name in names { alternatives.append(try alternative(name)) }

        let authorityKey = try makeKey()
        defer { EVP_PKEY_free(authorityKey) }
        let key = try makeKey()
        defer { EVP_PKEY_free(key) }

        // A name of its own, since browsers take two authorities of one name and different keys for a forgery.
        let mark = randomBytes(4).hexadecimal
        let authority = try makeCertificate(commonName: "SeleID local authority \(mark)", key: authorityKey, days: days)
        defer { X509_free(authority) }
        try extend(
            authority, issuer: authority,
            [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ])
        try sign(authority, issuer: authority, key: authorityKey)

        let certificate = try makeCertificate(commonName: "SeleID local server", key: key, days: days)
        defer { X509_free(certificate) }
        try extend(
            certificate, issuer: authority,
            [
                (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, alternatives.joined(separator: ",")),
                (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always"),
            ])
        try sign(certificate, issuer: authority, key: authorityKey)

        return LocalCertificates(
            authorityCertificatePEM: try pem { PEM_write_bio_X509($0, authority) },
            certificatePEM: try pem { PEM_write_bio_X509($0, certificate) },
            privateKeyPEM: try pem { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) })
    }

    /// `DNS:` or `IP:` before the name, checked so that it cannot say more to OpenSSL's reader than a name.
    private static func alternative(_ name: String) throws(OpenSSLError) -> String {
        var address = in6_addr()
        if inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1 { return "IP:\(name)" }
        let isName =
            !name.isEmpty && name.utf8.count <= 253
            && name.utf8.allSatisfy {
                ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                    || $0 == UInt8(ascii: "*")
            }
        guard isName else { throw OpenSSLError(description: "'\(name)' is neither a DNS name nor an IP address") }
        return "DNS:\(name)"
    }

    private static func makeKey() throws(OpenSSLError) -> OpaquePointer {
        guard let key = seleid_generate_p256() else { throw OpenSSLError("no P-256 key made") }
        return key
    }

    /// Everything but extensions, issuer and signature.
    private static func makeCertificate(commonName: String, key: OpaquePointer, days: Int) throws(OpenSSLError)
        -> OpaquePointer
    {
        guard let certificate = X509_new() else { throw OpenSSLError("no certificate made") }
        let number = BN_new()
        defer { BN_free(number) }
        let anHourAgo = -3600  // for clients whose clocks are late
        let subject = X509_get_subject_name(certificate)
        guard X509_set_version(certificate, 2) == 1,  // X.509 v3
            BN_rand(number, 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1,
            BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil,
            X509_gmtime_adj(X509_getm_notBefore(certificate), anHourAgo) != nil,
            X509_time_adj_ex(X509_getm_notAfter(certificate), Int32(days), 0, nil) != nil,
            X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, commonName, -1, -1, 0) == 1,
            X509_set_pubkey(certificate, key) == 1
        else {
            X509_free(certificate)
            throw OpenSSLError("no certificate made")
        }
        return certificate
    }

    private static func extend(_ certificate: OpaquePointer, issuer: OpaquePointer, _ extensions: [(Int32, String)])
        throws(OpenSSLError)
    {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        for (identifier, value) in extensions {
            let new = X509V3_EXT_nconf_nid(nil, &context, identifier, value)
            defer { X509_EXTENSION_free(new) }
            guard new != nil, X509_add_ext(certificate, new, -1) == 1 else {
                throw OpenSSLError("certificate extension not made")
            }
        }
    }

    private static func sign(_ certificate: OpaquePointer, issuer: OpaquePointer, key: OpaquePointer)
        throws(OpenSSLError)
    {
        guard X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1,
            X509_sign(certificate, key, Algorithms.sha256) > 0
        else { throw OpenSSLError("certificate not signed") }
    }

    private static func pem(_ write: (OpaquePointer) -> Int32) throws(OpenSSLError) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { throw OpenSSLError("no PEM text made") }
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { throw OpenSSLError("no PEM text made") }
        var bytes: UnsafePointer<UInt8>?
        let count = seleid_BIO_bytes(bio, &bytes)
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
