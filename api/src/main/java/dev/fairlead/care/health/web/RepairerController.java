package dev.fairlead.care.health.web;

import dev.fairlead.care.health.service.repair.RepairerView;
import dev.fairlead.care.health.service.repair.Repairers;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Manages repairers of clusters. */
@ApiController(ApiPaths.ROOT + "/clusters/{cluster}/repairer")
@Tag(name = "Health")
class RepairerController {
  private final Repairers repairers;

  RepairerController(Repairers repairers) {
    this.repairers = repairers;
  }

  @Operation(
      operationId = "getRepairer",
      summary = "Read the repairer of a cluster",
      description =
          "Returns the repair service, which receives repair steps by webhook or by node"
              + " annotations, and its open tasks. Requires a platform role.")
  @GetMapping
  ResponseEntity<RepairerResponse> one(Actor actor, @PathVariable String cluster) {
    return tagged(repairers.of(actor, cluster));
  }

  @Operation(
      operationId = "putRepairer",
      summary = "Set the repairer of a cluster",
      description =
          "Sets the repair service, which receives these repair steps for the cluster's"
              + " nodes by webhook or by node annotations. Other steps wait for operators. The"
              + " response contains the signing key of the calls. Open tasks are sent to the new"
              + " address. If-Match is optional.")
  @PutBody
  ResponseEntity<RepairerResponse> put(
      Actor actor,
      @PathVariable String cluster,
      @RequestBody RepairerFields.Put request,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    return tagged(
        repairers.put(
            actor,
            cluster,
            request.settings(),
            expected(actor, cluster, options),
            options.validateOnly()));
  }

  @Operation(
      operationId = "deleteRepairer",
      summary = "Remove the repairer of a cluster",
      description =
          "Removes the repairer. All steps wait for operators again. Refused while it has open"
              + " tasks, because it may be working on a machine: set an empty list of steps"
              + " first. If-Match is optional.")
  @ApiResponse(responseCode = "204", description = "Repairer removed.")
  @DeleteMapping
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String cluster,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    repairers.delete(actor, cluster, expected(actor, cluster, options), options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private @Nullable Long expected(Actor actor, String cluster, WriteOptions options) {
    return options.ifGiven(() -> repairers.of(actor, cluster).repairer().version());
  }

  private static ResponseEntity<RepairerResponse> tagged(RepairerView view) {
    return ResponseEntity.ok()
        .eTag(Etags.of(view.repairer().version()))
        .body(RepairerResponse.of(view));
  }
}
