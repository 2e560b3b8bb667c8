package dev.fairlead.work.workload.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.BufferedResponse;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.StreamReauthorization;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.workload.output.JobOutput;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Streams the past and current output of a member. */
@RestController
@RequestMapping(path = ApiPaths.ROOT, version = ApiPaths.V1)
@Tag(name = "Jobs")
class LogController {
  private static final int MOST_LINES = 100_000;
  private static final int MOST_ATTEMPTS = 1_000_000;
  private static final int MOST_ELEMENTS = 10_000;
  private static final int CHUNK_BYTES = 8 * 1024;
  private final JobOutput logs;
  private final InstantSource clock;

  LogController(JobOutput logs, InstantSource clock) {
    this.logs = logs;
    this.clock = clock;
  }

  @Operation(
      operationId = "getJobLogs",
      summary = "Read the output of a member",
      description =
          "Returns plain text, by default for the first member of the newest attempt. If"
              + " the service stores logs, all output is available, even after the pod is deleted."
              + " Otherwise, only the output on the cluster is available. Lines of the form"
              + " [fairlead: ...] mark missing or truncated output. With follow=true the response"
              + " stays open until the member ends. container names an init container or sidecar of"
              + " the member. Its output is only on the cluster, and follow=true ends with it.")
  @ApiResponse(
      responseCode = "200",
      description = "The output as plain text.",
      content = @Content(mediaType = MediaType.TEXT_PLAIN_VALUE, schema = @Schema(type = "string")))
  @GetMapping(path = "/jobs/{job}/logs", produces = MediaType.TEXT_PLAIN_VALUE)
  void logs(
      Actor actor,
      @PathVariable String job,
      @RequestParam(required = false) @Nullable String member,
      @RequestParam(required = false) @Nullable String container,
      @RequestParam(required = false) @Nullable Integer attempt,
      @RequestParam(defaultValue = "0") int element,
      @RequestParam(required = false) @Nullable Integer tail,
      @RequestParam(required = false) @Nullable String sinceTime,
      @RequestParam(defaultValue = "false") boolean follow,
      HttpServletRequest http,
      HttpServletResponse response)
      throws IOException {
    JobId id = new JobId(ApiPaths.id(IdKind.JOB, job));
    JobOutput.Request request =
        new JobOutput.Request(
            attempt == null ? null : Parameters.range("attempt", attempt, 1, MOST_ATTEMPTS),
            member,
            container,
            Parameters.range("element", element, 0, MOST_ELEMENTS),
            tail == null ? null : Parameters.range("tail", tail, 0, MOST_LINES),
            Parameters.since("sinceTime", sinceTime, clock.instant()),
            follow);
    JobOutput.Source source = logs.source(actor, id, request);
    if (HttpMethod.HEAD.matches(http.getMethod())) {
      begin(response);
      return; // without a body, nothing would notice that the caller is gone
    }
    BufferedResponse.inPieces(http);
    OutputStream out = response.getOutputStream(); // from here on it needs no database permit
    try (InputStream output = StreamReauthorization.cutting(http, logs.open(source))) {
      begin(response);
      response.flushBuffer();
      pass(output, out);
    }
  }

  private static void begin(HttpServletResponse response) {
    response.setContentType(MediaType.TEXT_PLAIN_VALUE);
    response.setCharacterEncoding(StandardCharsets.UTF_8.name());
  }

  /** Each piece is sent as it arrives, so a follower sees a line as soon as it is written. */
  private static void pass(InputStream from, OutputStream to) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    for (int read = from.read(chunk); read >= 0; read = from.read(chunk)) {
      to.write(chunk, 0, read);
      to.flush();
    }
  }
}
