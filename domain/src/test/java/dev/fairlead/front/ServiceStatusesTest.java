package dev.fairlead.front;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ServiceStatusesTest {
  /** Fails when a status is rewritten forever because the API server stores another text. */
  @Test
  void longMessageIsTruncatedAtAWholeCharacter() {
    ServiceProblem problem =
        new ServiceProblem("InvalidSpec", "a" + "\uD83D\uDE00".repeat(3000), true);

    ServiceStatus status =
        ServiceStatuses.of(ServiceStatus.unread(1, "d"), null, problem, Instant.EPOCH);

    String message = status.conditions().getFirst().message();
    assertThat(message).hasSize(3999);
    assertThat(new String(message.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .isEqualTo(message);
  }
}
