package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.service.FleetQuotaView;
import dev.fairlead.fleet.quota.service.FleetQuotas;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.BodyConverter;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Manages the fleet quota of tenants. */
@ApiController(ApiPaths.ROOT + "/fleet-quotas")
@Tag(name = "Quotas")
class FleetQuotaController {
  private static final String RULES =
      " JSON Merge Patch (RFC 7396) of limits and weight. Needs If-Match with the version. Running"
          + " jobs continue, even if usage exceeds the new limits.";

  private final FleetQuotas quotas;

  FleetQuotaController(FleetQuotas quotas) {
    this.quotas = quotas;
  }

  @Operation(
      operationId = "listFleetQuotas",
      summary = "Read the fleet quota of all tenants",
      description =
          "Returns the quota of all tenants together (tenant null), then of each tenant by"
              + " name. Requires a platform role. A change of the quota of all tenants together"
              + " requires the returned ETag.")
  @GetMapping
  ResponseEntity<Page<FleetQuotaResponse>> all(Actor actor) {
    List<FleetQuotaView> all = quotas.all(actor);
    ResponseEntity.BodyBuilder answer = ResponseEntity.ok();
    all.stream()
        .filter(view -> view.tenant() == null)
        .forEach(root -> answer.eTag(Etags.of(root.node().version())));
    return answer.body(Page.whole(all.stream().map(FleetQuotaResponse::of).toList()));
  }

  @Operation(
      operationId = "getFleetQuota",
      summary = "Read the fleet quota of a tenant",
      description = "Takes the name of the tenant. A change requires the returned ETag.")
  @GetMapping("/{tenant}")
  ResponseEntity<FleetQuotaResponse> one(Actor actor, @PathVariable String tenant) {
    return tagged(quotas.one(actor, tenant));
  }

  @Operation(
      operationId = "updateFleetLimits",
      summary = "Change the fleet quota of all tenants together",
      description = "Tenants share it by weight." + RULES)
  @PatchMapping(
      consumes = {BodyConverter.MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  ResponseEntity<FleetQuotaResponse> updateAll(
      Actor actor,
      @RequestBody @BodyOf(FleetQuotaResponse.Patch.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    return updated(actor, null, body, options);
  }

  @Operation(
      operationId = "updateFleetQuota",
      summary = "Change the fleet quota of a tenant",
      description =
          "Limits of the tenant's own share of the fleet, of borrowing from and lending to other"
              + " tenants, and its weight among them."
              + RULES)
  @PatchBody("/{tenant}")
  ResponseEntity<FleetQuotaResponse> update(
      Actor actor,
      @PathVariable String tenant,
      @RequestBody @BodyOf(FleetQuotaResponse.Patch.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    return updated(actor, tenant, body, options);
  }

  private ResponseEntity<FleetQuotaResponse> updated(
      Actor actor, @Nullable String tenant, Body body, WriteOptions options) {
    FleetQuotaView now = quotas.one(actor, tenant);
    long expected = options.expected(() -> now.node().version());
    FleetQuotaResponse.Patch patch =
        BodyBinder.bind(
            body.appliedTo(FleetQuotaResponse.of(now).toRequest()), FleetQuotaResponse.Patch.class);
    return tagged(
        quotas.update(
            actor,
            tenant,
            patch.milli(),
            LimitRequest.of(patch.limits()),
            expected,
            options.validateOnly()));
  }

  private static ResponseEntity<FleetQuotaResponse> tagged(FleetQuotaView view) {
    return ResponseEntity.ok()
        .eTag(Etags.of(view.node().version()))
        .body(FleetQuotaResponse.of(view));
  }
}
