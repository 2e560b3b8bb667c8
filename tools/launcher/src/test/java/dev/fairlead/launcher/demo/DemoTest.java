package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.ScriptedApi;
import dev.fairlead.launcher.ScriptedApi.Answer;
import dev.fairlead.launcher.StartFailed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class DemoTest {
  private static final Example TOO_LARGE =
      Example.parse("too-large.yaml", "# expect: CANCELLED\nname: too-large\n");
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Screen screen =
      new Screen.Plain(new PrintStream(printed, true, StandardCharsets.UTF_8));

  @Test
  void unknownOptionIsRejectedWithTheKnownOnes() {
    assertThat(DemoLauncher.refusal(List.of("--once", "--auth"))).isEmpty();
    assertThat(DemoLauncher.refusal(List.of("--once", "--onse")))
        .hasValue("unknown option --onse; the options are --once, --auth, --kubernetes");
  }

  @Test
  void jobToBeCancelledIsExplainedFirst() throws Exception {
    try (ScriptedApi server = waitingUntilCancelled();
        FairleadApi api = server.client()) {
      Demo demo = new Demo(api, screen, Duration.ZERO, (example, job) -> {});
      demo.submit(List.of(TOO_LARGE));
      demo.watch(Duration.ofSeconds(30));

      assertThat(demo.differences()).isEmpty();
      assertThat(printed.toString(StandardCharsets.UTF_8))
          .contains("why too-large: needs 32 nodes, eu-1 has 16", "eu-1: 16 of 32 fit");
      assertThat(server.requests.indexOf("GET /api/v1/jobs/job_1/explanation"))
          .isBetween(0, server.requests.indexOf("POST /api/v1/jobs/job_1/cancel") - 1);
    }
  }

  @Test
  void jobThatDoesNotEndIsADifference() throws Exception {
    Example hello = Example.parse("hello.yaml", "# expect: SUCCEEDED\nname: too-large\n");
    try (ScriptedApi server = waitingUntilCancelled();
        FairleadApi api = server.client()) {
      Demo demo = new Demo(api, screen, Duration.ZERO, (example, job) -> {});
      demo.submit(List.of(hello));
      demo.watch(Duration.ZERO);
      assertThat(demo.differences())
          .containsExactly("hello.yaml: state should be SUCCEEDED, is QUEUED");
    }
  }

  @Test
  void rejectedExampleStopsTheDemo() throws Exception {
    try (ScriptedApi server =
            new ScriptedApi(
                r -> new Answer(422, "{\"code\":\"INVALID_FIELD\",\"detail\":\"no image\"}"));
        FairleadApi api = server.client()) {
      assertThatThrownBy(() ->
              new Demo(api, screen, Duration.ZERO, (example, job) -> {}).submit(List.of(TOO_LARGE)))
          .isInstanceOf(StartFailed.class)
          .hasMessage("examples/too-large.yaml was refused: 422 INVALID_FIELD: no image");
    }
  }

  private static ScriptedApi waitingUntilCancelled() throws IOException {
    AtomicBoolean cancelled = new AtomicBoolean();
    String job =
        "{\"id\":\"job_1\",\"name\":\"too-large\",\"createdAt\":\"2026-01-01T00:00:00Z\",\"state\":\"%s\",\"pending\":%s}";
    String waiting =
        job.formatted("QUEUED", "{\"reason\":\"CAPACITY\",\"message\":\"needs 32 nodes\"}");
    return new ScriptedApi(request ->
        switch (request) {
          case "POST /api/v1/projects/default/jobs" -> new Answer(201, waiting);
          case "GET /api/v1/jobs/job_1/explanation" ->
              Answer.ok(
                  "{\"message\":\"needs 32 nodes, eu-1 has 16\",\"blockers\":"
                      + "[{\"scope\":{\"name\":\"eu-1\"},\"message\":\"16 of 32 fit\"}]}");
          case "POST /api/v1/jobs/job_1/cancel" -> {
            cancelled.set(true);
            yield Answer.ok("");
          }
          default ->
              Answer.ok(
                  "{\"items\":["
                      + (cancelled.get() ? job.formatted("CANCELLED", "null") : waiting)
                      + "]}");
        });
  }
}
