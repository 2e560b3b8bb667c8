package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LossCurveTest {
  private static final String TAG = "[default0]:";
  private final LossCurve curve = new LossCurve();

  @Test
  void uninformativeLinesAreNotShownAgain() {
    assertThat(curve.hear(TAG + "attempt 1 4 processes, from step 0 of 240")).isTrue();
    assertThat(curve.hear(TAG + "attempt 1 step 10 loss 0.5000")).isTrue();
    assertThat(curve.hear(TAG + "attempt 1 step 10 loss 0.5000")).isFalse();
    assertThat(curve.hear("Setting OMP_NUM_THREADS")).isFalse();
    assertThat(curve.step()).isEqualTo(10);
  }

  @Test
  void resumedAndLearningRunIsAccepted() {
    curve.hear("attempt 1 4 processes, from step 0 of 240");
    curve.hear("attempt 1 step 110 loss 0.4000");
    curve.hear("attempt 2 4 processes, from step 100 of 240");
    curve.hear("attempt 2 step 240 loss 0.0100");

    assertThat(curve.differences(job("SUCCEEDED", 2), true)).isEmpty();
  }

  @Test
  void anomaliesAreNamed() {
    curve.hear("attempt 1 4 processes, from step 0 of 240");
    curve.hear("attempt 1 step 10 loss 0.4000");
    curve.hear("attempt 2 4 processes, from step 0 of 240");
    curve.hear("attempt 2 step 20 loss 0.4000");

    assertThat(curve.differences(job("FAILED", 2), true))
        .containsExactly(
            "the job did not succeed",
            "the second attempt did not resume from a checkpoint",
            "the loss did not fall by half: [0.4, 0.4]");
    assertThat(curve.differences(job("SUCCEEDED", 1), false)).hasSize(3);
  }

  private static JsonNode job(String state, int attempt) {
    return JsonMapper.builder()
        .build()
        .createObjectNode()
        .put("state", state)
        .put("attempt", attempt);
  }
}
