package dev.fairlead.people.project.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.AcrossProjects;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Credential;
import dev.fairlead.people.tenant.Grant;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Returns the identity of the caller. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Service")
class MeController {
  private final Projects projects;

  MeController(Projects projects) {
    this.projects = projects;
  }

  /**
   * Identity of the caller.
   *
   * @param administrator whether the caller may write clusters, quotas and projects
   * @param roles roles in the whole tenant, otherwise roles in its projects
   * @param tokenExpiresAt expiry of the API token of the request, null if none
   * @param allowed operations of the parameter operationId that the caller may run: yes, or own for
   *     its own objects. Null without the parameter
   */
  record MeResponse(
      String user,
      String tenant,
      boolean administrator,
      @Nullable List<String> roles,
      @Nullable Instant tokenExpiresAt,
      @Nullable SortedMap<String, String> allowed) {}

  @Operation(
      operationId = "getMe",
      summary = "Read the caller's identity",
      description =
          "Returns the caller's user, tenant, roles in the whole tenant (otherwise roles in"
              + " its projects), and the expiry of its API token. With operationId, it also returns"
              + " the permissions for these operations: in one project, or without a project in any"
              + " of them. The operation itself may still be refused for the state of its object.")
  @GetMapping("/me")
  @AcrossProjects
  MeResponse me(
      Actor actor,
      Principal principal,
      @RequestParam(required = false) @Nullable String project,
      @RequestParam(required = false) @Nullable List<String> operationId) {
    Actor there =
        project == null ? principal.anywhere() : principal.at(projects.named(actor, project).id());
    Credential token = actor.credential();
    return new MeResponse(
        actor.name(),
        projects.tenantOf(actor),
        actor.administrator(),
        actor.roles().stream().map(Role::wire).toList(),
        token == null ? null : token.expiresAt(),
        operationId == null ? null : allowed(there, operationId));
  }

  /** Roles of the whole tenant and of the project apply, as in a request for that project. */
  private static SortedMap<String, String> allowed(Actor there, List<String> operations) {
    SortedMap<String, String> allowed = new TreeMap<>();
    for (String operation : operations) {
      Grant grant = Permissions.grant(there, operation);
      if (grant != Grant.NO) {
        allowed.put(operation, grant.wire());
      }
    }
    return allowed;
  }
}
