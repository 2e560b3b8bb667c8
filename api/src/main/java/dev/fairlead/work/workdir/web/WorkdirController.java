package dev.fairlead.work.workdir.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workdir.Workdir;
import dev.fairlead.work.workdir.service.spi.Workdirs;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;

/** Uploads archives of code. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/workdirs")
@Tag(name = "Jobs")
class WorkdirController {
  private static final String GZIP = "application/gzip";

  private final Workdirs workdirs;

  WorkdirController(Workdirs workdirs) {
    this.workdirs = workdirs;
  }

  /**
   * An archive of code.
   *
   * @param digest SHA-256 of the archive: sha256: and 64 hexadecimal digits
   * @param bytes size of the archive
   * @param createdAt start of its upload
   */
  @Schema(name = "WorkdirResponse")
  record WorkdirResponse(String digest, long bytes, Instant createdAt) {
    static WorkdirResponse of(Workdir workdir) {
      return new WorkdirResponse(workdir.digest(), workdir.bytes(), workdir.createdAt());
    }
  }

  @Operation(
      operationId = "getWorkdir",
      summary = "Read an archive of code",
      description =
          "Returns an archive of the project. The archive is retained for another"
              + " day, even if no job uses it.")
  @GetMapping("/{workdir}")
  WorkdirResponse one(Actor actor, @PathVariable String project, @PathVariable String workdir) {
    return WorkdirResponse.of(workdirs.one(actor, project, checked(workdir)));
  }

  @Operation(
      operationId = "putWorkdir",
      summary = "Upload an archive of code",
      description =
          "Stores a tar archive compressed with gzip, at most 100 MiB, under the SHA-256 of its"
              + " bytes. A job names that digest as workdir.digest, and its members unpack"
              + " the archive in /workdir. Repeating the request has no effect. Send"
              + " Content-Length.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content =
                  @Content(mediaType = GZIP, schema = @Schema(type = "string", format = "binary"))))
  @PutMapping("/{workdir}")
  WorkdirResponse put(
      Actor actor,
      @PathVariable String project,
      @PathVariable String workdir,
      WriteOptions options,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    String digest = checked(workdir);
    OutputStream _ = response.getOutputStream(); // an upload uses no permit for short requests
    return WorkdirResponse.of(
        workdirs.put(
            actor,
            project,
            digest,
            request.getContentLengthLong(),
            request.getInputStream(),
            options.validateOnly()));
  }

  private static String checked(String digest) {
    if (!WorkdirSpec.isDigest(digest)) {
      throw Parameters.refused(
          "workdir", "must be sha256: and 64 hexadecimal digits in lower case");
    }
    return digest;
  }
}
