package dev.fairlead.work.workload.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.BufferedResponse;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.output.Outputs;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workdir.service.spi.Workdirs;
import dev.fairlead.work.workload.service.attempt.AttemptAnswers;
import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.security.core.Authentication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;

/**
 * Endpoints for the processes of an attempt, which authenticate with the credential of the attempt
 * and no other. They are not operations of the API: no role allows them.
 */
@Hidden
@ApiController(ApiPaths.ROOT)
class AttemptAnswerController {
  private static final int LONGEST_POSITION = 200;
  private static final Duration LEAST = Duration.ofSeconds(1);
  private static final Duration MOST = Duration.ofDays(1);
  private final AttemptAnswers answers;
  private final Workdirs workdirs;

  AttemptAnswerController(AttemptAnswers answers, Workdirs workdirs) {
    this.answers = answers;
    this.workdirs = workdirs;
  }

  /**
   * The stored checkpoint.
   *
   * @param checkpointedAt time of the last report of saved work, null if none
   * @param until latest end of the wait for a checkpoint, null if none was requested or the wait is
   *     over
   */
  record AttemptAnswerResponse(
      String attempt, @Nullable Instant checkpointedAt, @Nullable Instant until) {
    static AttemptAnswerResponse of(Attempt attempt) {
      CheckpointRequest request = attempt.awaitedCheckpoint();
      Instant until =
          request == null || request.answeredBy(attempt.checkpointedAt()) ? null : request.until();
      return new AttemptAnswerResponse(attempt.id().text(), attempt.checkpointedAt(), until);
    }
  }

  /**
   * A progress report.
   *
   * @param until time by which the next report is due, null if progress is not monitored
   */
  record AttemptProgressResponse(String attempt, @Nullable Instant until) {}

  @PostMapping("/attempts/{attempt}/progress")
  AttemptProgressResponse progress(
      Authentication caller,
      @PathVariable String attempt,
      @RequestBody(required = false) @Nullable Body body) {
    AttemptCredential bearer = bearer(caller);
    FieldProblems problems = new FieldProblems();
    Progress progress =
        Optional.ofNullable(body)
            .map(b -> ProgressReader.read(b.fields(problems)))
            .orElse(Progress.NONE);
    if (!problems.none()) { // a wrong number must not end a working attempt as a hang
      Instant _ = answers.progressed(bearer, attempt, Progress.NONE);
      problems.refuse();
    }
    return new AttemptProgressResponse(
        bearer.attempt().text(), answers.progressed(bearer, attempt, progress));
  }

  /** All outputs of the attempt. */
  record AttemptOutputsResponse(String attempt, SortedMap<String, String> outputs) {}

  @PostMapping("/attempts/{attempt}/outputs")
  AttemptOutputsResponse outputs(
      Authentication caller, @PathVariable String attempt, @RequestBody Body body) {
    AttemptCredential bearer = bearer(caller);
    FieldProblems problems = new FieldProblems();
    SortedMap<String, String> given = new TreeMap<>();
    body.value(problems)
        .entries(Outputs.MOST)
        .forEach((name, value) ->
            value.anyText(Outputs.MOST_BYTES).ifPresent(text -> given.put(name, text)));
    problems.refuse();
    return new AttemptOutputsResponse(
        bearer.attempt().text(), answers.output(bearer, attempt, given));
  }

  @GetMapping(path = "/attempts/{attempt}/workdir", produces = MediaType.ALL_VALUE)
  void workdir(
      Authentication caller,
      @PathVariable String attempt,
      HttpServletRequest http,
      HttpServletResponse response)
      throws IOException {
    Job job = answers.job(bearer(caller), attempt);
    WorkdirSpec code = job.spec().workdir();
    if (code == null) {
      throw new Refusal(ProblemCode.NOT_FOUND, "The job of the attempt has no workdir.");
    }
    Workdirs.Open open = workdirs.open(job.tenant(), job.project(), code, job.id().text());
    try (InputStream bytes = open.bytes()) {
      BufferedResponse.inPieces(http);
      response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
      response.setContentLengthLong(open.workdir().bytes());
      bytes.transferTo(response.getOutputStream());
    }
  }

  private static AttemptCredential bearer(Authentication caller) {
    if (caller.getPrincipal() instanceof AttemptCredential bearer) {
      return bearer;
    }
    throw new Refusal(
        ProblemCode.FORBIDDEN,
        "An attempt reports here with the credential in the variable FAIRLEAD_CHECKPOINT_TOKEN"
            + " of its members. With an API token, report a checkpoint of the job instead.");
  }

  @PostMapping("/attempts/{attempt}/checkpoint")
  AttemptAnswerResponse checkpoint(
      Authentication caller,
      @PathVariable String attempt,
      @RequestBody(required = false) @Nullable Body body) {
    AttemptCredential bearer = bearer(caller);
    FieldProblems problems = new FieldProblems();
    Optional<Fields> given = Optional.ofNullable(body).map(b -> b.fields(problems));
    Duration extend =
        given.flatMap(f -> f.get("extend")).flatMap(v -> v.duration(LEAST, MOST)).orElse(null);
    String position =
        given.flatMap(f -> f.get("position")).flatMap(v -> v.text(LONGEST_POSITION)).orElse(null);
    given.ifPresent(Fields::done);
    if (extend != null && position != null) {
      given
          .orElseThrow()
          .refuse(
              "position",
              ProblemCode.CONFLICTING_FIELDS,
              "Set extend while the work is being saved, and position when it is saved.",
              null);
    }
    problems.refuse();
    return AttemptAnswerResponse.of(
        extend == null
            ? answers.saved(bearer, attempt, position)
            : answers.extended(bearer, attempt, extend));
  }
}
