package dev.fairlead.care.supply.web;

import dev.fairlead.care.supply.service.PoolSupplies;
import dev.fairlead.care.supply.service.SupplyView;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Manages the supply of pools with additional nodes. */
@ApiController(ApiPaths.ROOT + "/pools/{pool}/supply")
@Tag(name = "Pools")
class SupplyController {
  private static final int SHORTEST_REASON = 3;
  private static final int LONGEST_REASON = 500;
  private final PoolSupplies supplies;

  SupplyController(PoolSupplies supplies) {
    this.supplies = supplies;
  }

  @Operation(
      operationId = "getPoolSupply",
      summary = "Read the supply of a pool",
      description =
          "Returns the source of additional nodes for waiting jobs, the number of nodes still"
              + " available, and the last 50 requests, newest first. Requires a platform role.")
  @GetMapping
  ResponseEntity<SupplyResponse> one(Actor actor, @PathVariable String pool) {
    return tagged(supplies.of(actor, pool));
  }

  @Operation(
      operationId = "putPoolSupply",
      summary = "Set the supply of a pool",
      description =
          "Sets the supply. Nodes of this kind are requested from a webhook or from the"
              + " cluster's autoscaler if jobs wait that only such nodes could run, and returned"
              + " after they were empty for releaseAfter. With a webhook the response contains the"
              + " signing key of the calls. Earlier requests remain in effect. If-Match is"
              + " optional.")
  @PutBody
  ResponseEntity<SupplyResponse> put(
      Actor actor,
      @PathVariable String pool,
      @RequestBody SupplyFields.Put request,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    return tagged(
        supplies.put(
            actor, pool, request.spec(), expected(actor, pool, options), options.validateOnly()));
  }

  @Operation(
      operationId = "deletePoolSupply",
      summary = "Remove the supply of a pool",
      description =
          "Removes the supply, so no further nodes are requested. Refused while nodes of the"
              + " provisioner exist or may still arrive: set maxNodes to 0 and drain them first."
              + " With forceReason it is removed nevertheless, for a provisioner that no longer"
              + " exists: its nodes stay in the pool and are billed until they are removed at the"
              + " provider. The refusal without forceReason lists them. The reason is recorded in"
              + " the audit log. If-Match is optional.")
  @ApiResponse(responseCode = "204", description = "Supply removed.")
  @DeleteMapping
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String pool,
      @Parameter(
              description =
                  "Reason for the removal although its nodes exist or may arrive, 3 to 500"
                      + " characters.",
              example = "the provisioner's account was closed")
          @RequestParam(required = false)
          @Nullable String forceReason,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    String forced = forceReason == null ? null : forceReason.strip();
    if (forced != null && (forced.length() < SHORTEST_REASON || forced.length() > LONGEST_REASON)) {
      throw Parameters.refused("forceReason", "must be a reason of 3 to 500 characters");
    }
    supplies.delete(actor, pool, forced, expected(actor, pool, options), options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private @Nullable Long expected(Actor actor, String pool, WriteOptions options) {
    return options.ifGiven(() -> supplies.of(actor, pool).supply().version());
  }

  private static ResponseEntity<SupplyResponse> tagged(SupplyView view) {
    return ResponseEntity.ok()
        .eTag(Etags.of(view.supply().version()))
        .body(SupplyResponse.of(view));
  }
}
