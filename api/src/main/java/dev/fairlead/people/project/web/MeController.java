package dev.fairlead.people.project.web;

import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Credential;
import dev.fairlead.people.tenant.Role;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Returns the identity of the caller. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT,
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
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
   * @param roles roles in the whole tenant, otherwise roles in its projects. Nullable only in the
   *     document: a process from before the command-line sign-in responds without them
   * @param tokenExpiresAt expiry of the API token of the request, null without one
   */
  record MeResponse(
      String user,
      String tenant,
      boolean administrator,
      @Nullable List<String> roles,
      @Nullable Instant tokenExpiresAt) {}

  @Operation(
      operationId = "getMe",
      summary = "Read the caller's identity",
      description =
          "Returns the caller's user, tenant, roles in the whole tenant (otherwise roles in"
              + " its projects), and the expiry of its API token.")
  @GetMapping("/me")
  MeResponse me(Actor actor) {
    Credential token = actor.credential();
    return new MeResponse(
        actor.name(),
        projects.tenantOf(actor),
        actor.administrator(),
        actor.roles().stream().map(Role::wire).toList(),
        token == null ? null : token.expiresAt());
  }
}
