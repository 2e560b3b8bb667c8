package dev.fairlead.work.serving;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.serving.Idleness.Phase;
import dev.fairlead.work.serving.Scaling.Sample;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sleep and wake of a service, checked every two seconds. */
class IdlenessTest {
  private static final Duration AFTER = Duration.ofMinutes(5);
  private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");
  private Instant now = BEGIN;
  private ModelService service = service(0, List.of());
  private @Nullable Idleness idle;
  private long requests;
  private boolean ready;
  private boolean counted = true;
  private Duration ahead = Duration.ZERO;

  private static ModelService service(int floor, List<ModelService.Floor> floors) {
    return new ModelService(
        new ModelServiceId(new UUID(1, 1)),
        "chat",
        "nlp",
        "chat.example",
        floor,
        2,
        List.of(100),
        Duration.ofSeconds(10),
        Duration.ofSeconds(1),
        null,
        floors,
        floor == 0 ? AFTER : null,
        ModelService.Access.OPEN,
        null,
        List.of(),
        RouteOptions.NONE);
  }

  private void looks(Duration time) {
    for (Instant end = now.plus(time); now.isBefore(end); now = now.plusSeconds(2)) {
      Sample sample = ready && counted ? new Sample(now.plus(ahead), requests, 0, null) : null;
      idle = Idleness.next(service, idle, ready, sample, now);
    }
  }

  private Phase phase() {
    return idle.phase();
  }

  /** A service that became ready after 40 seconds, and then sleeps. */
  private void sleeps() {
    looks(Duration.ofSeconds(40));
    ready = true;
    looks(AFTER.plusSeconds(20));
    assertThat(phase()).isEqualTo(Phase.SLEEPING);
    ready = false;
  }

  @Test
  void aServiceWithoutRequestsClosesItsRouteAndThenSleeps() {
    looks(Duration.ofSeconds(40));
    assertThat(phase()).isEqualTo(Phase.WAKING);
    ready = true;
    looks(AFTER);
    assertThat(phase()).isEqualTo(Phase.AWAKE);
    looks(Duration.ofSeconds(4));
    assertThat(phase()).isEqualTo(Phase.CLOSING);
    looks(Idleness.CLOSING_FOR);
    assertThat(phase()).isEqualTo(Phase.SLEEPING);
    assertThat(idle.reason()).satisfies(reason("idleness.had-requests", "5m"));
  }

  /** Fails when a request just before the end of the time does not count. */
  @Test
  void oneRequestRestartsTheIdleTime() {
    ready = true;
    looks(AFTER.minusSeconds(2));
    requests++;
    looks(AFTER);
    assertThat(phase()).isEqualTo(Phase.AWAKE);
    looks(Duration.ofSeconds(30));
    assertThat(phase()).isEqualTo(Phase.SLEEPING);
  }

  /**
   * Fails when a service leaves its route right after each wake, so that no request gets a replica.
   */
  @Test
  void countFromTheFutureIsNotEvidenceOfIdleness() {
    ahead = AFTER.multipliedBy(2);
    ready = true;
    looks(AFTER);
    assertThat(phase()).isEqualTo(Phase.AWAKE);
    looks(Duration.ofSeconds(30));
    assertThat(phase()).isEqualTo(Phase.SLEEPING);
  }

  /** Fails when requests that follow each other within ten seconds are forgotten. */
  @Test
  void idleTimeIsMeasuredFromTheLastRequest() {
    ready = true;
    looks(Duration.ofSeconds(20));
    requests++;
    looks(Duration.ofSeconds(4));
    requests++;
    Instant last = now;
    while (phase() == Phase.AWAKE) {
      looks(Duration.ofSeconds(2));
    }
    assertThat(Duration.between(last, now)).isBetween(AFTER, AFTER.plusSeconds(20));
  }

  @Test
  void aRequestWhileTheRouteClosesKeepsTheReplicas() {
    ready = true;
    looks(AFTER.plusSeconds(4));
    assertThat(phase()).isEqualTo(Phase.CLOSING);
    requests++;
    looks(Duration.ofSeconds(2));
    assertThat(phase()).isEqualTo(Phase.AWAKE);
    looks(AFTER.minusSeconds(4));
    assertThat(phase()).isEqualTo(Phase.AWAKE);
  }

  /** Fails when replicas stop although the last requests before the route left are not counted. */
  @Test
  void theReplicasStopOnlyAfterALaterCount() {
    ready = true;
    looks(AFTER.plusSeconds(4));
    assertThat(phase()).isEqualTo(Phase.CLOSING);
    Sample early = new Sample(now, requests, 0, null);
    now = now.plus(Idleness.CLOSING_FOR);
    idle = Idleness.next(service, idle, true, early, now);
    assertThat(phase()).isEqualTo(Phase.CLOSING);
    requests++;
    looks(Duration.ofSeconds(2));
    assertThat(phase()).isEqualTo(Phase.AWAKE);
  }

  /** Fails when replicas stop without evidence, or hold quota without traffic forever. */
  @Test
  void aCountThatFailsWhileTheRouteClosesReturnsTheTraffic() {
    ready = true;
    looks(AFTER.plusSeconds(4));
    assertThat(phase()).isEqualTo(Phase.CLOSING);
    counted = false;
    looks(Duration.ofSeconds(60));
    assertThat(phase()).isEqualTo(Phase.CLOSING);
    looks(Idleness.LONGEST_CLOSING);
    assertThat(phase()).isEqualTo(Phase.AWAKE);
    assertThat(idle.reason()).contains("not counted");
  }

  /** Fails when unreadable metrics count as a service without requests. */
  @Test
  void aServiceWhoseRequestsAreNotCountedStaysAwake() {
    ready = true;
    counted = false;
    looks(AFTER.multipliedBy(20));
    assertThat(phase()).isEqualTo(Phase.AWAKE);
    assertThat(idle.reason()).contains("not counted");
  }

  /** Fails when an old count is mistaken for a current count. */
  @Test
  void staleCountIsNotEvidenceOfIdleness() {
    ready = true;
    looks(Duration.ofSeconds(20));
    Sample last = new Sample(now, requests, 0, null);
    for (int i = 0; i < 1_000; i++) {
      now = now.plusSeconds(2);
      idle = Idleness.next(service, idle, true, last, now);
    }
    assertThat(phase()).isEqualTo(Phase.AWAKE);
  }

  @Test
  void aWakeStartsAReplicaAndItsStartIsMeasured() {
    sleeps();
    idle = idle.woken(now, "woken by mia");
    assertThat(phase()).isEqualTo(Phase.WAKING);
    assertThat(idle.wokenAt()).isEqualTo(now);
    looks(Duration.ofSeconds(60));
    assertThat(phase()).isEqualTo(Phase.WAKING);
    ready = true;
    looks(Duration.ofSeconds(2));
    assertThat(phase()).isEqualTo(Phase.AWAKE);
    assertThat(idle.starts()).containsExactly(Duration.ofSeconds(40), Duration.ofSeconds(60));
    assertThat(idle.startBudget()).contains(Duration.ofSeconds(91));
  }

  @Test
  void onlyTheLastStartsAreStored() {
    for (int i = 0; i < 2 * Idleness.MOST_STARTS; i++) {
      sleeps();
      idle = idle.woken(now, "woken by mia");
    }
    assertThat(idle.starts()).hasSize(Idleness.MOST_STARTS);
  }

  @Test
  void wakeOfAnAwakeServiceRestartsTheIdleTime() {
    ready = true;
    looks(AFTER.minusSeconds(10));
    idle = idle.woken(now, "woken by mia");
    looks(AFTER.minusSeconds(10));
    assertThat(phase()).isEqualTo(Phase.AWAKE);
  }

  /** Fails when a service sleeps in hours for which its owner requested replicas. */
  @Test
  void scheduledFloorWakesTheServiceAndPreventsSleep() {
    service =
        service(0, List.of(new ModelService.Floor("0 1 * * *", Duration.ofHours(1), "UTC", 1)));
    sleeps();
    looks(Duration.between(now, BEGIN.plus(Duration.ofHours(1))));
    assertThat(phase()).isEqualTo(Phase.SLEEPING);
    looks(Duration.ofSeconds(2));
    assertThat(phase()).isEqualTo(Phase.WAKING);
    ready = true;
    looks(Duration.ofMinutes(59));
    assertThat(phase()).isEqualTo(Phase.AWAKE);
    looks(Duration.ofMinutes(10));
    assertThat(phase()).isEqualTo(Phase.SLEEPING);
  }

  @Test
  void aServiceWithAHigherFloorNeverSleeps() {
    sleeps();
    service = service(1, List.of());
    looks(Duration.ofSeconds(2));
    assertThat(idle).isNull();
  }
}
