package dev.fairlead.people.project.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.project.service.Tenants;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Tenant;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;

/**
 * Creates, reads and archives tenants. The guard has set the path's tenant as the tenant of the
 * actor.
 */
@ApiController(ApiPaths.ROOT + "/tenants")
@Tag(name = "Tenants")
class TenantController {
  private static final int LONGEST_DISPLAY_NAME = 200;
  private final Tenants tenants;

  TenantController(Tenants tenants) {
    this.tenants = tenants;
  }

  /** A new tenant. */
  @Schema(name = "CreateTenantRequest")
  record CreateTenantRequest(
      @Schema(description = "DNS label of at most 40 characters, which cannot be changed")
          @DnsLabel(max = 40)
          String name,
      @Schema(description = "Display name") @Size(min = 1, max = LONGEST_DISPLAY_NAME)
          @Nullable String displayName) {}

  /**
   * The changeable fields of a tenant.
   *
   * @param displayName display name, at most 200 characters
   */
  @Schema(name = "UpdateTenantRequest")
  record UpdateTenantRequest(
      @Size(min = 1, max = LONGEST_DISPLAY_NAME) @Nullable String displayName) {}

  @Operation(
      operationId = "listTenants",
      summary = "List tenants",
      description =
          "Lists tenants by name: all tenants for platform roles, otherwise the caller's" + " own.")
  @GetMapping
  Page<Tenant> all(Actor actor) {
    return Page.whole(tenants.all(actor));
  }

  @Operation(
      operationId = "getTenant",
      summary = "Read a tenant",
      description =
          "Takes the name of the tenant. A tenant in which the caller has no role is not"
              + " found.")
  @GetMapping("/{tenant}")
  ResponseEntity<Tenant> one(Actor actor, @PathVariable String tenant) {
    return answer(tenants.current(actor));
  }

  @Operation(
      operationId = "createTenant",
      summary = "Create a tenant",
      description =
          "Creates the tenant with its own quota tree, the queue default, and the project"
              + " default. No object of a tenant is visible from another tenant. An administrator"
              + " then adds its first owner: PUT /api/v1/tenants/{tenant}/members/{member}.")
  @ApiResponse(responseCode = "201", description = "Tenant created.", useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<Tenant> create(
      Actor actor,
      @RequestBody @BodyOf(CreateTenantRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    CreateTenantRequest request = BodyBinder.bind(body, CreateTenantRequest.class);
    Tenant tenant =
        tenants.create(
            actor,
            request.name(),
            request.displayName() == null ? "" : request.displayName(),
            options.key("tenants", body),
            options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/tenants/" + tenant.name())))
        .eTag(Etags.of(tenant.version()))
        .body(tenant);
  }

  @Operation(
      operationId = "updateTenant",
      summary = "Change a tenant",
      description =
          "JSON Merge Patch of displayName. The name of a tenant cannot be changed."
              + " If-Match is optional.")
  @PatchBody("/{tenant}")
  ResponseEntity<Tenant> update(
      Actor actor,
      @PathVariable String tenant,
      @RequestBody @BodyOf(UpdateTenantRequest.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    UpdateTenantRequest request = BodyBinder.bind(body, UpdateTenantRequest.class);
    String displayName = body.removes("displayName") ? "" : request.displayName();
    return answer(
        tenants.update(actor, displayName, expected(actor, options), options.validateOnly()));
  }

  @Operation(
      operationId = "archiveTenant",
      summary = "Archive a tenant",
      description =
          "The tenant accepts no new objects (409), and its jobs are cancelled with their"
              + " grace periods. It is ARCHIVING until the last job has ended, then ARCHIVED. All"
              + " objects remain readable. A repeated request has no effect. The tenant default"
              + " cannot be archived.")
  @PostMapping("/{tenant}/archive")
  ResponseEntity<Tenant> archive(
      Actor actor,
      @PathVariable String tenant,
      @Takes({WritePart.IF_MATCH, WritePart.KEY, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    options.key("archive");
    return answer(tenants.archive(actor, expected(actor, options), options.validateOnly()));
  }

  private @Nullable Long expected(Actor actor, WriteOptions options) {
    return options.ifGiven(() -> tenants.current(actor).version());
  }

  private static ResponseEntity<Tenant> answer(Tenant tenant) {
    return ResponseEntity.ok().eTag(Etags.of(tenant.version())).body(tenant);
  }
}
