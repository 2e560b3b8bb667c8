package dev.fairlead.people.cloudidentity.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A cloud identity, as the API returns it. */
@Schema(name = "CloudIdentityResponse")
public record CloudIdentityView(
    @Schema(description = "Name of the cloud identity, a DNS label") String name,
    @Schema(description = "Names of the projects with jobs that may name it") List<String> projects,
    @Schema(description = "Annotations of its service account")
        SortedMap<String, String> annotations,
    @Schema(description = "Audience of its projected token, or null for that of the provider")
        @Nullable String audience,
    @Schema(
            description =
                "Name of its service account in the namespace of each project, for the trust policy"
                    + " of the cloud")
        String serviceAccount,
    @Schema(description = "Version, which starts at 1 and increases with each" + " change")
        long version) {
  static CloudIdentityView of(ConfigDocument<CloudIdentity> document) {
    CloudIdentity identity = document.value();
    return new CloudIdentityView(
        identity.name(),
        identity.projects(),
        identity.annotations(),
        identity.audience(),
        CloudIdentity.serviceAccount(identity.name()),
        document.version());
  }
}
