package dev.fairlead.work.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.output.ProgressReport;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
                cluster.settings().withCallback("https://fairlead.example.com")),
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
  void attemptIsDueByItsNextCheckTime() {
    callback();
    WatchedAttempt watched = watched(null);
    progress.begin(List.of(watched));
    progress.begin(List.of(watched));
    assertThat(due(watched, TIMEOUT.minusMillis(1))).isEmpty();
    assertThat(due(watched, TIMEOUT)).containsExactly(watched);

    Instant call = now.plusSeconds(60);
    assertThat(progress.called(watched.tenant(), watched.attempt(), Progress.NONE, call)).isTrue();
    assertThat(due(watched, TIMEOUT).getFirst().calledAt()).isEqualTo(call);
    assertThat(
            progress.called(
                watched.tenant(), watched.attempt(), Progress.NONE, call.plusSeconds(1)))
        .isTrue();
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
    assertThat(progress.called(watched.tenant(), watched.attempt(), Progress.NONE, call)).isFalse();
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
  void tenantCannotReportForAnotherTenant() {
    callback();
    WatchedAttempt watched = watched(null);
    progress.begin(List.of(watched));
    TenantId other = new TenantId(stores.ids().next());
    assertThat(progress.called(other, watched.attempt(), Progress.NONE, now)).isFalse();
    assertThat(
            progress.called(
                watched.tenant(), new AttemptId(stores.ids().next()), Progress.NONE, now))
        .isFalse();
    assertThat(due(watched, TIMEOUT).getFirst().calledAt()).isNull();
  }

  /** Fails when a number is not stored, a report loses the one before, or each is written. */
  @Test
  void theLastReportOfAnAttemptIsStored() {
    callback();
    WatchedAttempt watched = watched(null);
    progress.begin(List.of(watched));
    assertThat(reports(watched)).as("none yet").isNull();
    SortedMap<String, Double> metrics = new TreeMap<>(Map.of("loss", 0.31, "lr/0", 1e-300));
    Progress first = new Progress(100L, Progress.MOST_STEPS, metrics);
    progress.called(watched.tenant(), watched.attempt(), first, now);
    assertThat(reports(watched)).isEqualTo(ProgressReport.of(null, first, now));

    progress.called(watched.tenant(), watched.attempt(), steps(101, 500), now.plusSeconds(1));
    assertThat(reports(watched).progress()).as("calls in a row are one").isEqualTo(first);
    progress.called(watched.tenant(), watched.attempt(), steps(200, 500), now.plusSeconds(10));
    progress.called(watched.tenant(), watched.attempt(), Progress.NONE, now.plusSeconds(20));
    assertThat(reports(watched))
        .as("a call without numbers leaves it")
        .isEqualTo(new ProgressReport(steps(200, 500), now.plusSeconds(10), 100L, now, 200L, null));
    assertThat(due(watched, TIMEOUT).getFirst().calledAt()).isEqualTo(now.plusSeconds(20));

    progress.look(watched.attempt(), now, now.plus(TIMEOUT));
    assertThat(reports(watched)).as("a look leaves it").isNotNull();
    assertThat(progress.reports(new TenantId(stores.ids().next()), List.of(watched.attempt())))
        .as("another tenant")
        .isEmpty();
    assertThat(progress.reports(watched.tenant(), List.of())).isEmpty();
    progress.remove(due(watched, TIMEOUT).getFirst());
    assertThat(reports(watched)).isNull();
  }

  /**
   * Fails when an end is lost, is reported too early, or belongs to an attempt that was not
   * queried.
   */
  @Test
  void predictedEndsAreStoredForAttemptsWithARate() {
    callback();
    WatchedAttempt watched = watched(null);
    progress.begin(List.of(watched));
    progress.called(watched.tenant(), watched.attempt(), steps(0, 500), now);
    assertThat(progress.predictedEnds(List.of(watched.attempt()))).as("one report").isEmpty();
    progress.called(watched.tenant(), watched.attempt(), steps(100, 500), now.plusSeconds(100));
    assertThat(progress.predictedEnds(List.of(watched.attempt())))
        .containsExactly(Map.entry(watched.attempt(), now.plusSeconds(500)));
    assertThat(progress.predictedEnds(List.of(new AttemptId(stores.ids().next())))).isEmpty();
    assertThat(progress.predictedEnds(List.of())).isEmpty();
  }

  private static Progress steps(long step, long total) {
    return new Progress(step, total, Collections.emptySortedMap());
  }

  private ProgressReport reports(WatchedAttempt of) {
    return progress.reports(of.tenant(), List.of(of.attempt())).get(of.attempt());
  }
}
