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

/** Tells callers who they are. */
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
   * Who the service takes the caller for.
   *
   * @param administrator whether clusters, quotas and projects may be written
   * @param roles those that count in the whole tenant; without any, those in its projects. Nullable
   *     in the document alone: a process from before sign-in by the command line answers without
   *     them
   * @param tokenExpiresAt when the API token of the request ends; null without one
   */
  record MeResponse(
      String user,
      String tenant,
      boolean administrator,
      @Nullable List<String> roles,
      @Nullable Instant tokenExpiresAt) {}

  @Operation(
      operationId = "getMe",
      summary = "Who am I",
      description =
          "The user and tenant that the service takes the caller for, its roles in the whole tenant"
              + " (without any, those in its projects), and when its API token ends.")
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
