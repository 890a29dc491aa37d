/// The OpenAPI description of the admin API, inside the binary. The file is `Docs/openapi.yaml`; a link in this folder leads to
/// it.
public enum AdminDescription {
    /// YAML, UTF-8.
    public static let yaml: [UInt8] = PackageResources.openapi_yaml
}
