package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class JobLineTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");

  @Test
  void waitingJobShowsItsReason() {
    JobLine line =
        line(
            """
            {"id":"job_1","name":"a","state":"QUEUED","createdAt":"2026-01-01T00:00:50Z","endedAt":null,
             "placement":{"cluster":null,"nodes":[]},"attempt":0,"failure":null,
             "pending":{"reason":"CAPACITY","message":"needs 8, free 2"}}\
            """);
    assertThat(line.place()).isEqualTo("needs 8, free 2");
    assertThat(line.reason()).isEqualTo("CAPACITY");
    assertThat(line.time()).isEqualTo(Duration.ofSeconds(10));
    assertThat(line.ended()).isFalse();
  }

  /** Fails when the time is shown in the service's format. */
  @Test
  void jobInBackOffShowsTheTimeOfItsRetry() {
    String job =
        """
        {"state":"QUEUED","createdAt":"2026-01-01T00:00:50Z","placement":{"cluster":"eu-1","nodes":[]},"attempt":1,
         "pending":{"reason":"BACKING_OFF","message":"retry at 2026-01-01T00:01:09Z (attempt 2 of 3)"}}\
        """;
    assertThat(line(job).place()).isEqualTo("retry in 9.0s (attempt 2 of 3)");
    assertThat(line(job.replace("01:09Z", "00:58.5Z")).place())
        .isEqualTo("retry 1.5s ago (attempt 2 of 3)");
  }

  @Test
  void runningJobShowsItsNodesAndALaterAttempt() {
    String job =
        """
        {"state":"RUNNING","createdAt":"2026-01-01T00:00:00Z","startedAt":"2026-01-01T00:00:02Z","attempt":%d,
         "placement":{"cluster":"eu-1","nodes":%s},"pending":null,"failure":%s}\
        """;
    assertThat(line(job.formatted(1, "[\"n1\",\"n2\"]", "null")).place())
        .isEqualTo("eu-1, n1 and n2");
    assertThat(line(job.formatted(1, "[\"n1\",\"n2\",\"n3\"]", "null")).place())
        .isEqualTo("eu-1, 3 nodes");
    assertThat(
            line(job.formatted(2, "[\"n1\"]", "{\"cause\":\"NODE_FAILURE\",\"message\":\"gone\"}"))
                .place())
        .isEqualTo("eu-1, n1 (attempt 2)");
  }

  @Test
  void failedJobShowsItsReasonAndAFixedTime() {
    JobLine line =
        line(
            """
            {"state":"FAILED","createdAt":"2026-01-01T00:00:00Z","endedAt":"2026-01-01T00:00:05Z",
             "placement":{"cluster":"eu-1","nodes":["n1"]},"failure":{"cause":"OUT_OF_MEMORY","message":"killed"}}\
            """);
    assertThat(line.place()).isEqualTo("OUT_OF_MEMORY: killed");
    assertThat(line.time()).isEqualTo(Duration.ofSeconds(5));
    assertThat(line.ended()).isTrue();
  }

  @Test
  void arrayShowsItsCounts() {
    JobLine line =
        line(
            """
            {"state":"RUNNING","createdAt":"2026-01-01T00:00:00Z","array":{"elements":20,"queued":11,"running":4,
             "succeeded":3,"failed":1,"cancelled":1}}\
            """);
    assertThat(line.place()).isEqualTo("5 of 20 done, 4 running, 11 waiting");
  }

  private static JobLine line(String json) {
    return JobLine.of(JsonMapper.builder().build().readTree(json), NOW);
  }
}
