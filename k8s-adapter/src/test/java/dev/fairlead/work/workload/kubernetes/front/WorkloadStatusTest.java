package dev.fairlead.work.workload.kubernetes.front;

import static dev.fairlead.front.FrontCondition.SUBMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The status of a Workload: the written fields, and the fields read back. */
class WorkloadStatusTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final FrontCondition RUNS =
      FrontCondition.of(SUBMITTED, true, "Submitted", "Runs as job job_01abc", NOW);
  private static final FrontStatus RUNNING =
      new FrontStatus(2, 2, 0, 0, NOW, null, List.of(RUNS), null);

  private static FrontStatus ended(FrontStatus running, String target, String end) {
    Instant later = NOW.plusSeconds(60);
    FrontStatus ended =
        new FrontStatus(
            0,
            0,
            running.succeeded(),
            running.failed(),
            NOW,
            end.equals("Complete") ? later : null,
            running.conditions(),
            null);
    return ended
        .with(FrontCondition.of(target, true, "Reason", "why", later))
        .with(FrontCondition.of(end, true, "Reason", "why", later));
  }

  private static final FrontStatus DONE = ended(RUNNING, "SuccessCriteriaMet", "Complete");
  private static final FrontStatus BROKEN = ended(RUNNING, "FailureTarget", "Failed");

  /** The stored object after the patch of a status. */
  private static JsonNode stored(FrontStatus status, long generation) {
    WorkloadStatus fresh =
        Objects.requireNonNull(WorkloadStatus.read(MissingNode.getInstance(), generation, true));
    return patched(fresh, status);
  }

  private static JsonNode patched(WorkloadStatus before, FrontStatus status) {
    try {
      ObjectNode node =
          (ObjectNode) JSON.readTree(WorkloadStatus.next(before, status).patch().toString());
      List<String> nulls =
          node.properties().stream()
              .filter(field -> field.getValue().isNull())
              .map(Map.Entry::getKey)
              .toList();
      return node.remove(nulls);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static WorkloadStatus read(JsonNode status, long generation, boolean held) {
    return Objects.requireNonNull(WorkloadStatus.read(status, generation, held));
  }

  private static String condition(JsonNode status, String type) {
    for (JsonNode one : status.path("conditions")) {
      if (one.path("type").asText().equals(type)) {
        return one.path("status").asText() + "/" + one.path("reason").asText();
      }
    }
    return "";
  }

  private static String health(JsonNode status) {
    return "%s: Ready=%s, Reconciling=%s, Stalled=%s"
        .formatted(
            status.path("phase").asText(),
            condition(status, "Ready"),
            condition(status, "Reconciling"),
            condition(status, "Stalled"));
  }

  /** Fails when Fairlead rewrites a status repeatedly, because it does not recognise its own. */
  @Test
  void statusRoundTrips() {
    for (FrontStatus status : List.of(RUNNING, DONE, BROKEN)) {
      JsonNode stored = stored(status, 3);
      assertThat(read(stored, 3, true).job()).isEqualTo(status);
      assertThat(read(stored, 3, false).job()).isEqualTo(status);
      assertThat(stored.path("observedGeneration").asLong()).isEqualTo(3);
      assertThat(stored.path("job").asText()).isEqualTo("job_01abc");
    }
  }

  @Test
  void conditionsFollowTheRulesOfKstatus() {
    FrontStatus queued = new FrontStatus(0, 0, 0, 0, null, null, List.of(RUNS), null);
    FrontStatus refused =
        FrontStatus.NEW.with(FrontCondition.of(SUBMITTED, false, "LimitExceeded", "full", NOW));
    FrontStatus held =
        queued.with(FrontCondition.of("Suspended", true, "JobSuspended", "held", NOW));

    assertThat(List.of(refused, queued, held, RUNNING, DONE, BROKEN))
        .extracting(status -> health(stored(status, 1)))
        .containsExactly(
            "Pending: Ready=False/LimitExceeded, Reconciling=True/LimitExceeded, Stalled=False/LimitExceeded",
            "Queued: Ready=False/Queued, Reconciling=True/Queued, Stalled=False/Queued",
            "Suspended: Ready=False/JobSuspended, Reconciling=False/JobSuspended, Stalled=False/JobSuspended",
            "Running: Ready=False/Running, Reconciling=True/Running, Stalled=False/Running",
            "Succeeded: Ready=True/Reason, Reconciling=False/Reason, Stalled=False/Reason",
            "Failed: Ready=False/Reason, Reconciling=False/Reason, Stalled=True/Reason");
  }

  /** Fails when a forged end releases a running job, or a forged status remains. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"phase\":\"Succeeded\"}",
        "{\"completionTime\":\"2026-03-01T10:00:00Z\"}",
        "{\"job\":\"job_02\"}",
        "{\"observedGeneration\":1}",
        "{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"},{\"type\":\"fairlead.dev/Submitted\",\"status\":\"True\",\"reason\":\"Submitted\",\"message\":\"Runs as job job_01abc\"}]}"
      })
  void foreignStatusProvesNoEndAndDiffersFromEveryShownStatus(String forged)
      throws JsonProcessingException {
    ObjectNode status = (ObjectNode) stored(RUNNING, 2);
    status.setAll((ObjectNode) JSON.readTree(forged));

    FrontStatus read = read(status, 2, true).job();

    assertThat(read.finished()).isFalse();
    assertThat(read.is(SUBMITTED)).as("it is not submitted a second time").isTrue();
    assertThat(read.condition(SUBMITTED)).isNotEqualTo(RUNNING.condition(SUBMITTED));
  }

  @Test
  void endOfAReleasedWorkloadIsFinalWhateverItsStatus() {
    ObjectNode status = (ObjectNode) stored(DONE, 1);
    status.put("phase", "Running");

    assertThat(read(status, 1, false).job().finished()).isTrue();
    assertThat(read(status, 1, true).job().finished()).isFalse();
  }

  /** Fails when a Workload that was corrected stays refused. */
  @Test
  void statusOfARejectedSpecEndsWithItsCorrection() {
    FrontStatus refused =
        ended(
            FrontStatus.NEW.with(
                FrontCondition.of(SUBMITTED, false, "NotExpressible", "/spec/x", NOW)),
            "FailureTarget",
            "Failed");

    assertThat(read(stored(refused, 1), 1, false).job()).isEqualTo(refused);
    assertThat(read(stored(refused, 1), 2, false).job()).isEqualTo(FrontStatus.NEW);
  }

  /** Fails where the admission policy is missing and a changed spec seems to run. */
  @Test
  void specChangedAfterItsSubmitStallsItsWorkload() {
    WorkloadStatus changed = read(stored(RUNNING, 1), 2, true);

    JsonNode next = patched(changed, RUNNING);

    assertThat(changed.job()).as("it is written again").isNotEqualTo(RUNNING);
    assertThat(health(next))
        .isEqualTo(
            "Running: Ready=False/SpecChanged, Reconciling=False/SpecChanged, Stalled=True/SpecChanged");
    assertThat(next.path("observedGeneration").asLong()).isEqualTo(2);
    assertThat(next.path("jobGeneration").asLong()).isEqualTo(1);
    assertThat(read(next, 2, true).job()).isEqualTo(RUNNING);
  }

  @Test
  void eachWrittenFieldIsInTheDefinition() throws IOException {
    JsonNode definition = definition();
    for (FrontStatus status : List.of(RUNNING, DONE, BROKEN)) {
      JsonNode stored = stored(status, 1);
      assertThat(new TreeSet<>(names(definition))).containsAll(names(stored));
      assertThat(names(definition.at("/conditions/items/properties")))
          .containsAll(names(stored.at("/conditions/0")));
      assertThat(definition.at("/phase/enum").toString())
          .contains("\"" + stored.path("phase").asText() + "\"");
    }
  }

  private static List<String> names(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).toList();
  }

  private static JsonNode definition() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("deploy/crds"))) {
      root = Objects.requireNonNull(root.getParent(), "no deploy/crds above");
    }
    return JSON.valueToTree(
            Serialization.unmarshal(
                Files.readString(root.resolve("deploy/crds/workload.yaml")), JsonNode.class))
        .at("/spec/versions/0/schema/openAPIV3Schema/properties/status/properties");
  }
}
