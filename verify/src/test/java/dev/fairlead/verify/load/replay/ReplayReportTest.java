package dev.fairlead.verify.load.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReplayReportTest {
  @Test
  void waitsAreGivenInTheTimeOfTheTrace() {
    ReplayReport report =
        ReplayReport.of(2, List.of(ran("00", "02", "12", 8), ran("01", "02", "20", 4)), 16);
    assertThat(report.byState()).containsEntry("SUCCEEDED", 2);
    assertThat(report.waits().at(99)).isEqualTo(Duration.ofSeconds(2));
    /* 8 x 10 s + 4 x 18 s of 16 GPUs x 20 s */
    assertThat(report.utilisation()).isEqualTo(152.0 / 320);
    assertThat(report.allEnded()).isTrue();
    assertThat(report.lines(3600, Duration.ofSeconds(21)))
        .contains(
            "wait p99     2 h 0 min of the trace (2.00 s here)",
            "utilisation  47.5 %",
            "wall time    21.00 s");
  }

  @Test
  void unfinishedJobIsReported() {
    JsonNode waiting =
        json("{\"state\":\"QUEUED\",\"createdAt\":\"2026-01-01T00:00:00Z\",\"startedAt\":null}");
    ReplayReport report = ReplayReport.of(1, List.of(waiting), 16);
    assertThat(report.allEnded()).isFalse();
    assertThat(report.waits().count()).isZero();
    assertThat(report.utilisation()).isZero();
  }

  private static JsonNode ran(String created, String started, String ended, int gpus) {
    String at = "\"2026-01-01T00:00:%sZ\"";
    return json(
        "{\"state\":\"SUCCEEDED\",\"createdAt\":%s,\"startedAt\":%s,\"endedAt\":%s,\"gpus\":{\"requested\":%d}}"
            .formatted(at.formatted(created), at.formatted(started), at.formatted(ended), gpus));
  }

  private static JsonNode json(String text) {
    return JsonMapper.builder().build().readTree(text);
  }
}
