package dev.fairlead.front.web;

import dev.fairlead.front.service.FrontCommands;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Min;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Maps namespaces of front clusters to projects. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Clusters")
class FrontController {
  private static final String PATH = "/clusters/{cluster}/front-namespaces/{frontNamespace}";
  private final FrontCommands fronts;

  FrontController(FrontCommands fronts) {
    this.fronts = fronts;
  }

  /** The project that receives the Jobs of a namespace. */
  @Schema(name = "PutFrontNamespaceRequest")
  record PutFrontNamespaceRequest(
      @Schema(description = "Name of the project's tenant. Default: the tenant in use") @DnsLabel
          @Nullable String tenant,
      @Schema(description = "Name of the project that receives its Jobs") @DnsLabel
          String project) {}

  /** Confirms the loss of missing Jobs. */
  @Schema(name = "ConfirmFrontLossRequest")
  record ConfirmFrontLossRequest(
      @Schema(description = "Number of missing Jobs as returned by GET /api/v1/front-breakers")
          @Min(1)
          Integer missing) {}

  @Operation(
      operationId = "listFrontBreakers",
      summary = "List open circuit breakers of front clusters",
      description =
          "Lists open breakers by cluster. A breaker opens if more than 20 and more than 5"
              + " percent of the adopted Jobs are missing on a front cluster, for example"
              + " because another API server answers at its address or its etcd was restored."
              + " Until it closes, none of these Jobs is cancelled and no other Job of their"
              + " namespaces is adopted. It closes automatically when the Jobs reappear.")
  @GetMapping("/front-breakers")
  Page<FrontCommands.BreakerView> breakers(Actor actor) {
    return Page.whole(fronts.breakers(actor));
  }

  @Operation(
      operationId = "confirmFrontLoss",
      summary = "Confirm that missing Jobs of a front cluster are lost",
      description =
          "Cancels the Fairlead jobs of all Kubernetes Jobs that are missing now. Refused with"
              + " ILLEGAL_STATE if the number of missing Jobs differs from the request. Jobs that"
              + " vanish later need another confirmation, and the confirmation expires for Jobs"
              + " that are shown again.")
  @PostBody("/clusters/{cluster}/confirm-front-loss")
  FrontCommands.BreakerView confirm(
      Actor actor,
      @PathVariable String cluster,
      @RequestBody ConfirmFrontLossRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return fronts.confirm(actor, cluster, request.missing(), options.validateOnly());
  }

  @Operation(
      operationId = "listFrontNamespaces",
      summary = "List namespaces of front clusters",
      description =
          "Lists namespaces by cluster and name. Fairlead runs their Jobs with"
              + " spec.managedBy fairlead.dev/job. Owners see the namespaces of their projects.")
  @GetMapping("/front-namespaces")
  Page<FrontCommands.View> all(Actor actor) {
    return Page.whole(fronts.all(actor));
  }

  @Operation(
      operationId = "putFrontNamespace",
      summary = "Map a namespace of a front cluster to a project",
      description =
          "Jobs of the namespace with spec.managedBy fairlead.dev/job are submitted for the"
              + " project, run anywhere in the pool, and their state is shown on the cluster. Each"
              + " account that can create Jobs there submits as a member of the project. If the"
              + " namespace is mapped to another project, Jobs that are already adopted do not"
              + " move.")
  @PutBody(PATH)
  FrontCommands.View put(
      Actor actor,
      @PathVariable String cluster,
      @PathVariable String frontNamespace,
      @RequestBody PutFrontNamespaceRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    Parameters.requireLabel("frontNamespace", frontNamespace, Names.LONGEST_LABEL);
    return fronts.put(
        actor,
        cluster,
        frontNamespace,
        request.tenant(),
        request.project(),
        options.validateOnly());
  }

  @Operation(
      operationId = "deleteFrontNamespace",
      summary = "Remove the mapping of a namespace",
      description =
          "No further Jobs are adopted. Jobs that are already adopted continue, and their"
              + " result is still reported. To stop them, delete them on the cluster.")
  @ApiResponse(responseCode = "204", description = "Mapping removed.")
  @DeleteMapping(PATH)
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String cluster,
      @PathVariable String frontNamespace,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    fronts.remove(actor, cluster, frontNamespace, options.validateOnly());
    return ResponseEntity.noContent().build();
  }
}
