package dev.fairlead.fleet.limit.web;

import dev.fairlead.fleet.limit.service.LimitCommands;
import dev.fairlead.fleet.limit.service.Limits;
import dev.fairlead.fleet.limit.service.LimitsView;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/**
 * Manages limits of tenants and projects. The guard has set the path's tenant as the tenant of the
 * actor.
 */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Tenants")
class LimitController {
  private static final String RULES =
      " JSON Merge Patch (RFC 7396). null restores the default. Objects that exceed a lowered"
          + " limit remain, and no more can be added. The change takes effect on every replica"
          + " within 5 seconds. If-Match is optional.";
  private final LimitCommands limits;

  LimitController(LimitCommands limits) {
    this.limits = limits;
  }

  @Operation(
      operationId = "getTenantLimits",
      summary = "Read the limits of a tenant",
      description =
          "Returns the limits that were set for the tenant, and the effective limits of all"
              + " its projects together.")
  @GetMapping("/tenants/{tenant}/limits")
  ResponseEntity<LimitsView> ofTenant(Actor actor, @PathVariable String tenant) {
    return tagged(limits.view(actor, null));
  }

  @Operation(
      operationId = "getProjectLimits",
      summary = "Read the limits of a project",
      description =
          "Returns the limits that were set for the project, and the effective limits: the"
              + " smaller of its own and its tenant's.")
  @GetMapping("/projects/{project}/limits")
  ResponseEntity<LimitsView> ofProject(Actor actor, @PathVariable String project) {
    return tagged(limits.view(actor, project));
  }

  @Operation(
      operationId = "updateTenantLimits",
      summary = "Change the limits of a tenant",
      description = "For operators of the platform." + RULES)
  @PatchBody("/tenants/{tenant}/limits")
  ResponseEntity<LimitsView> updateTenant(
      Actor actor,
      @PathVariable String tenant,
      @RequestBody @BodyOf(Limits.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    return updated(actor, null, body, options);
  }

  @Operation(
      operationId = "updateProjectLimits",
      summary = "Change the limits of a project",
      description = "Cannot exceed the limits of its tenant." + RULES)
  @PatchBody("/projects/{project}/limits")
  ResponseEntity<LimitsView> updateProject(
      Actor actor,
      @PathVariable String project,
      @RequestBody @BodyOf(Limits.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    return updated(actor, project, body, options);
  }

  private ResponseEntity<LimitsView> updated(
      Actor actor, @Nullable String project, Body body, WriteOptions options) {
    LimitsView now = limits.view(actor, project);
    Long expected = options.ifGiven(now::version);
    Body wanted = body.appliedTo(now.set());
    Limits set =
        project == null
            ? BodyBinder.bind(wanted, Limits.class)
            : BodyBinder.bind(wanted, Limits.class, Limits.OfProject.class);
    return tagged(
        limits.update(
            actor,
            project,
            set.values(),
            expected == null ? Long.valueOf(now.version()) : expected,
            options.validateOnly()));
  }

  private static ResponseEntity<LimitsView> tagged(LimitsView view) {
    return ResponseEntity.ok().eTag(Etags.of(view.version())).body(view);
  }
}
