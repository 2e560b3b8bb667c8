package dev.fairlead.people.cloudidentity.web;

import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.cloudidentity.service.CloudIdentities;
import dev.fairlead.people.cloudidentity.service.CloudIdentityView;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Cloud identities of a tenant. */
@ApiController(ApiPaths.ROOT + "/cloud-identities")
@Tag(name = "Identities")
class CloudIdentityController {
  private final CloudIdentities identities;

  CloudIdentityController(CloudIdentities identities) {
    this.identities = identities;
  }

  /** An account of a cloud provider, and the projects with jobs that may use it. */
  @Schema(name = "PutCloudIdentityRequest")
  record PutCloudIdentityRequest(
      @Schema(
              description =
                  "Names of the projects with jobs that may name it, at most 500. No project when"
                      + " absent or empty")
          @Size(max = CloudIdentity.MOST_PROJECTS)
          @Nullable List<@Size(min = 1, max = 63) String> projects,
      @Schema(
              description =
                  "Annotations of its service account: eks.amazonaws.com/role-arn,"
                      + " iam.gke.io/gcp-service-account, azure.workload.identity/client-id and"
                      + " azure.workload.identity/tenant-id. None when absent, as for EKS Pod"
                      + " Identity")
          @Size(max = 4)
          @Nullable Map<String, @Size(min = 1, max = 700) String> annotations,
      @Schema(
              description =
                  "Audience of a projected token of the service account. The audience of the"
                      + " provider when absent. Required for iam.gke.io/gcp-service-account, as"
                      + " //iam.googleapis.com/projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER")
          @Size(min = 1, max = CloudIdentity.LONGEST_AUDIENCE)
          @Pattern(regexp = "[!-~]+")
          @Nullable String audience)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      SortedMap<String, String> known = sorted(annotations);
      String wrong = CloudIdentity.trouble(known);
      String other = CloudIdentity.trouble(known, audience);
      if (wrong != null) {
        conflicts.put("annotations", wrong);
      } else if (other != null) {
        conflicts.put("audience", other);
      }
      return conflicts;
    }

    private static SortedMap<String, String> sorted(@Nullable Map<String, String> given) {
      return given == null ? new TreeMap<>() : new TreeMap<>(given);
    }

    CloudIdentity identity(String name) {
      return new CloudIdentity(
          name,
          projects == null ? List.of() : projects.stream().distinct().sorted().toList(),
          sorted(annotations),
          audience);
    }
  }

  @Operation(
      operationId = "listCloudIdentities",
      summary = "List cloud identities",
      description =
          "By name. With project, cloud identities that jobs of the project may name, otherwise all"
              + " of the tenant.")
  @GetMapping
  Page<CloudIdentityView> all(
      Actor actor, @RequestParam(required = false) @Nullable String project) {
    return Page.whole(identities.all(actor, project));
  }

  @Operation(
      operationId = "getCloudIdentity",
      summary = "Read a cloud identity",
      description = "Its account, its projects and the name of its service account.")
  @GetMapping("/{cloudIdentity}")
  ResponseEntity<CloudIdentityView> one(Actor actor, @PathVariable String cloudIdentity) {
    return tagged(identities.one(actor, cloudIdentity));
  }

  @Operation(
      operationId = "putCloudIdentity",
      summary = "Add a cloud identity, or change it",
      description =
          "Jobs of its projects may name it. Attempts that start later use a change, and running"
              + " attempts do not change. Jobs of a project that is no longer listed fail at their"
              + " next start.")
  @PutBody("/{cloudIdentity}")
  ResponseEntity<CloudIdentityView> put(
      Actor actor,
      @PathVariable String cloudIdentity,
      @RequestBody PutCloudIdentityRequest request,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Parameters.requireLabel("cloudIdentity", cloudIdentity, CloudIdentity.LONGEST_NAME);
    return tagged(
        identities.put(
            actor,
            request.identity(cloudIdentity),
            options.ifGiven(() -> identities.one(actor, cloudIdentity).version()),
            options.validateOnly()));
  }

  @Operation(
      operationId = "deleteCloudIdentity",
      summary = "Delete a cloud identity",
      description =
          "Jobs that name it fail at their next start. Running attempts keep their service account,"
              + " so revoke its trust in the cloud to stop their access.")
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @DeleteMapping("/{cloudIdentity}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String cloudIdentity,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    identities.delete(
        actor,
        cloudIdentity,
        options.ifGiven(() -> identities.one(actor, cloudIdentity).version()),
        options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private static ResponseEntity<CloudIdentityView> tagged(CloudIdentityView view) {
    return ResponseEntity.ok().eTag(Etags.of(view.version())).body(view);
  }
}
