package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KueueAnswersTest {
  @Test
  void quotaConditionIsReported() {
    assertThat(KueueAnswers.of(workload("False", "no cpu"))).isEqualTo("reports: no cpu");
    assertThat(KueueAnswers.of(workload("True", "Reserved"))).startsWith("has reserved quota");
  }

  @Test
  void workloadWithoutConditionsIsNotYetProcessed() {
    assertThat(KueueAnswers.of(new GenericKubernetesResource()))
        .contains("not processed", "its controller");
  }

  /** A condition may have 32 KiB, and each member of a gang stores the answer. */
  @Test
  void longMessageIsTruncatedToOneLine() {
    String answer =
        KueueAnswers.words(KueueAnswers.of(workload("False", "no\nroom ".repeat(4_000))));

    assertThat(answer).hasSize(1_000).startsWith("reports: no room ").doesNotContain("\n");
  }

  private static GenericKubernetesResource workload(String status, String message) {
    GenericKubernetesResource workload = new GenericKubernetesResource();
    workload.setAdditionalProperties(
        Map.of(
            "status",
            Map.of(
                "conditions",
                List.of(Map.of("type", "QuotaReserved", "status", status, "message", message)))));
    return workload;
  }
}
