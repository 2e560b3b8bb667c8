package dev.fairlead.work.serving;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.serving.ModelService.Floor;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The floors of a service at certain times. */
class ModelServiceTest {
  private static final Instant MONDAY = Instant.parse("2026-03-02T00:00:00Z");

  private static Floor floor(String cron, int hours, int replicas) {
    return new Floor(cron, Duration.ofHours(hours), "Europe/Berlin", replicas);
  }

  private static int least(int hour, Floor... floors) {
    return new ModelService(
            new ModelServiceId(new UUID(1, 1)),
            "chat",
            "nlp",
            "chat.example",
            2,
            12,
            List.of(100),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            null,
            List.of(floors),
            null,
            ModelService.Access.OPEN,
            null,
            List.of(),
            RouteOptions.NONE)
        .at(MONDAY.plus(Duration.ofHours(hour)))
        .minReplicas();
  }

  /** Fails when a lower floor replaces a higher one, or a window is open at another time. */
  @Test
  void theHighestFloorOfTheTimeApplies() {
    Floor day = floor("0 8 * * 1-5", 10, 4);
    Floor noon = floor("0 12 * * *", 1, 9);
    Floor low = floor("0 8 * * *", 10, 1);
    assertThat(least(6, day, noon, low)).isEqualTo(2);
    assertThat(least(7, day, noon, low)).isEqualTo(4);
    assertThat(least(11, day, noon, low)).isEqualTo(9);
    assertThat(least(11, noon, low, day)).isEqualTo(9);
    assertThat(least(12, day, noon, low)).isEqualTo(4);
    assertThat(least(17, day, noon, low)).isEqualTo(2);
    assertThat(least(-24 + 8, day)).as("on a Sunday").isEqualTo(2);
  }

  /** Fails when each pass checks 28 years of windows, or a stricter check stops stored services. */
  @Test
  void aStoredFloorIsNotValidatedAgain() {
    Floor often = floor("* * * * *", 1, 4);
    assertThatThrownBy(often::window).satisfies(problem("model-service.once-hour-most"));
    assertThat(often.open(MONDAY)).isTrue();
  }
}
