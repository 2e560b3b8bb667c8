package dev.fairlead.work.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every {@link ProgressStore}. */
public abstract class ProgressStoreContract {
  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private Stores stores;
  private TestWorld world;
  private ProgressStore progress;
  private Instant now;

  protected abstract Stores stores();

  @BeforeEach
  void anAttemptThatRuns() {
    stores = stores();
    world = TestWorld.in(stores);
    progress = stores.progress();
    now = world.now().truncatedTo(ChronoUnit.MILLIS);
  }

  private void callback() {
    Cluster cluster = stores.inventory().cluster(world.cluster().id()).orElseThrow();
    stores
        .inventory()
        .configure(
            cluster.configured(
                cluster.capacity(),
                cluster.pricePerGpuHour(),
                cluster.settings().calling("https://fairlead.example.com")),
            null);
  }

  private WatchedAttempt watched(@Nullable Instant calledAt) {
    Job job = world.submit(Specs.job("trains").progress(TIMEOUT));
    Attempt attempt = world.place(job);
    return new WatchedAttempt(
        attempt.id(), job.id(), job.tenant(), attempt.cluster(), TIMEOUT, now, calledAt);
  }

  private List<WatchedAttempt> due(WatchedAttempt of, Duration later) {
    return progress.due(now.plus(later), 1000).stream()
        .filter(each -> each.attempt().equals(of.attempt()))
        .toList();
  }

  /** Fails when a field is not stored, a call is lost, or a row is due before its time. */
  @Test
  void anAttemptIsDueByTheTimeThatItIsToBeLookedAt() {
    callback();
    WatchedAttempt watched = watched(null);
    progress.begin(List.of(watched));
    progress.begin(List.of(watched));
    assertThat(due(watched, TIMEOUT.minusMillis(1))).isEmpty();
    assertThat(due(watched, TIMEOUT)).containsExactly(watched);

    Instant call = now.plusSeconds(60);
    assertThat(progress.called(watched.tenant(), watched.attempt(), call)).isTrue();
    assertThat(due(watched, TIMEOUT).getFirst().calledAt()).isEqualTo(call);
    assertThat(progress.called(watched.tenant(), watched.attempt(), call.plusSeconds(1))).isTrue();
    assertThat(due(watched, TIMEOUT).getFirst().calledAt())
        .as("calls in a row are one")
        .isEqualTo(call);

    Instant from = now.plusSeconds(5);
    progress.look(watched.attempt(), from, now.plus(TIMEOUT).plusSeconds(60));
    assertThat(due(watched, TIMEOUT)).isEmpty();
    assertThat(due(watched, TIMEOUT.plusSeconds(60)).getFirst().from()).isEqualTo(from);
    progress.countFrom(List.of(watched.attempt()), from.minusSeconds(1));
    assertThat(due(watched, TIMEOUT.plusSeconds(60)).getFirst().from()).isEqualTo(from);
    progress.countFrom(List.of(watched.attempt()), from.plusSeconds(2));
    assertThat(due(watched, TIMEOUT.plusSeconds(60)).getFirst().from())
        .isEqualTo(from.plusSeconds(2));
    assertThat(progress.remove(watched)).as("it has called meanwhile").isFalse();
    WatchedAttempt seen = due(watched, TIMEOUT.plusSeconds(60)).getFirst();
    assertThat(progress.remove(seen)).isTrue();
    assertThat(progress.remove(seen)).isFalse();
    assertThat(due(watched, TIMEOUT.plusDays(1))).isEmpty();
    assertThat(progress.called(watched.tenant(), watched.attempt(), call)).isFalse();
  }

  /** Fails when an attempt is ended for calls that it cannot make. */
  @Test
  void anAttemptWithoutAnAddressToCallIsNotWatched() {
    WatchedAttempt watched = watched(null);
    progress.begin(List.of(watched));
    assertThat(due(watched, TIMEOUT.plusDays(1))).isEmpty();
  }

  /** Fails when a tenant can report progress for an attempt of another. */
  @Test
  void noTenantCallsForAnother() {
    callback();
    WatchedAttempt watched = watched(null);
    progress.begin(List.of(watched));
    TenantId other = new TenantId(stores.ids().next());
    assertThat(progress.called(other, watched.attempt(), now)).isFalse();
    assertThat(progress.called(watched.tenant(), new AttemptId(stores.ids().next()), now))
        .isFalse();
    assertThat(due(watched, TIMEOUT).getFirst().calledAt()).isNull();
  }
}
