package dev.fairlead.kernel.web;

import dev.fairlead.kernel.mapping.ApiController;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.web.bind.annotation.GetMapping;

/** Reports the version of the service. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Service")
class VersionController {
  private final String version;

  VersionController(Settings settings) {
    this.version = settings.version();
  }

  /** {@code version} is the version of the build. */
  @ConfigurationProperties("fairlead")
  record Settings(@DefaultValue("development") String version) {}

  /** {@code apiVersions}: API versions of this server. */
  record VersionResponse(String version, List<String> apiVersions) {}

  @Operation(
      operationId = "getVersion",
      summary = "Read the version",
      description = "Returns the version of the service and its API versions.")
  @GetMapping("/version")
  VersionResponse version() {
    return new VersionResponse(version, List.of(ApiPaths.V1));
  }
}
