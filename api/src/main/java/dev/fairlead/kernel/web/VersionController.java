package dev.fairlead.kernel.web;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells what is running. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT,
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Service")
class VersionController {
  private final String version;

  VersionController(Settings settings) {
    this.version = settings.version();
  }

  /** {@code version} is the one that was built. */
  @ConfigurationProperties("fairlead")
  record Settings(@DefaultValue("development") String version) {}

  /** {@code apiVersions}: those this server answers. */
  record VersionResponse(String version, List<String> apiVersions) {}

  @Operation(
      operationId = "getVersion",
      summary = "What is running",
      description = "Version of the service and the API versions it serves.")
  @GetMapping("/version")
  VersionResponse version() {
    return new VersionResponse(version, List.of(ApiPaths.V1));
  }
}
