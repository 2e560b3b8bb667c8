package dev.fairlead.work.workload.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.CallerProof;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.workload.session.BrowserSessions;
import dev.fairlead.work.workload.web.page.PageHost;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;

/** Creates links with which a browser enters the page of a session. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Jobs")
class SessionLinkController {
  private final BrowserSessions sessions;

  SessionLinkController(BrowserSessions sessions) {
    this.sessions = sessions;
  }

  /**
   * A link to the page of a session.
   *
   * @param url address that a browser may follow, null if the request was only validated
   * @param expiresAt time until which the link can be opened
   */
  @Schema(name = "SessionLinkResponse")
  record SessionLinkResponse(@Nullable String url, Instant expiresAt) {
    /** Spring logs response bodies at DEBUG. */
    @Override
    public String toString() {
      return "a link until " + expiresAt;
    }
  }

  @Operation(
      operationId = "createSessionLink",
      summary = "Create a link to the page of a session",
      description =
          "Creates a link with which a browser enters the page of a running session, such as a"
              + " notebook, at a host of its own. The link is valid for a minute, and the session"
              + " while the caller has its access, for at most fairlead.sessions.longest. Returns"
              + " 409 while its server is not ready, and if the service has no address for"
              + " sessions.")
  @ApiResponse(responseCode = "201", description = "Link created.", useReturnTypeSchema = true)
  @ResponseStatus(HttpStatus.CREATED)
  @PostMapping("/jobs/{job}/session-links")
  SessionLinkResponse create(
      Actor actor,
      @PathVariable String job,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options,
      HttpServletRequest http) {
    JobId id = new JobId(ApiPaths.id(IdKind.JOB, job));
    CallerProof proof =
        CallerProof.of(http)
            .orElseThrow(
                () -> new Refusal(ProblemCode.FORBIDDEN, "This caller cannot open sessions."));
    BrowserSessions.Link link =
        sessions.link(actor, id, proof.text(), proof.until(), options.validateOnly());
    String token = link.token();
    return new SessionLinkResponse(
        token == null ? null : PageHost.of(id, sessions.address().orElseThrow()).link(token),
        link.expiresAt());
  }
}
