package dev.fairlead.project.web;

import dev.fairlead.project.service.Projects;
import dev.fairlead.tenant.Actor;
import dev.fairlead.web.ApiPaths;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
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

  /** {@code administrator}: whether clusters, quotas and projects may be written. */
  record MeResponse(String user, String tenant, boolean administrator) {}

  @Operation(
      operationId = "getMe",
      summary = "Who am I",
      description = "The user and tenant that the service takes the caller for.")
  @GetMapping("/me")
  MeResponse me(Actor actor) {
    return new MeResponse(actor.name(), projects.tenantOf(actor), actor.administrator());
  }
}
