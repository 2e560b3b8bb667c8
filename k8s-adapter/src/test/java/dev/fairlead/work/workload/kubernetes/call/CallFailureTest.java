package dev.fairlead.work.workload.kubernetes.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;

class CallFailureTest {
  private static CallFailure answered(String status, String message) {
    Status told = new StatusBuilder().withStatus(status).withCode(500).withMessage(message).build();
    return CallFailure.of(new KubernetesClientException(message, 500, told));
  }

  /** Fails when an oversized object of one tenant makes the cluster count as unreachable. */
  @Test
  void oversizedObjectIsNotAFailureOfItsCluster() {
    CallFailure tooLarge = answered("Failure", "etcdserver: request is too large");

    assertThat(tooLarge.effect()).isEqualTo(CallFailure.Effect.REFUSED);
    assertThat(tooLarge.countsAgainstCluster()).isFalse();
    assertThat(answered("Failure", "etcdserver: no leader").effect())
        .isEqualTo(CallFailure.Effect.UNKNOWN);
    assertThat(answered("", "request is too large").effect())
        .as("a proxy says so")
        .isEqualTo(CallFailure.Effect.UNKNOWN);
  }
}
