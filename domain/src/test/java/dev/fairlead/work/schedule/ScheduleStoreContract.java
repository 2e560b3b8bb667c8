package dev.fairlead.work.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.schedule.Schedule.CatchUp;
import dev.fairlead.work.schedule.Schedule.Overlap;
import dev.fairlead.work.schedule.Schedule.RepeatedTime;
import dev.fairlead.work.schedule.Schedule.SkippedTime;
import dev.fairlead.work.schedule.ScheduleRun.Outcome;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class ScheduleStoreContract {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private Stores stores;
  private ScheduleStore schedules;
  private TestWorld world;
  private TenantId tenant;
  private ConfigDocument<Schedule> document;
  private ScheduleState state;

  protected abstract Stores stores();

  @BeforeEach
  void aSchedule() {
    stores = stores();
    schedules = stores.schedules();
    world = TestWorld.in(stores);
    tenant = world.tenant().id();
    document = document("nightly");
    state =
        ScheduleState.first(document.value().id(), tenant, document.name(), NOW)
            .next(NOW.plusSeconds(60), NOW.plusSeconds(75));
    schedules.insert(state);
  }

  private ConfigDocument<Schedule> document(String name) {
    Schedule schedule =
        new Schedule(
            new ScheduleId(stores.ids().next()),
            name,
            world.project().name(),
            "mia",
            false,
            new Schedule.Timing(
                "0 2 * * *",
                "Europe/Berlin",
                RepeatedTime.ONCE,
                SkippedTime.SHIFT,
                Duration.ofMinutes(5)),
            CatchUp.LAST,
            1,
            Overlap.SKIP,
            "{}");
    return stores
        .configs()
        .put(
            new ConfigDocument<>(
                Schedule.DOCUMENTS,
                Schedule.document(world.project().id(), name),
                tenant,
                world.project().id(),
                schedule,
                0));
  }

  private List<ScheduleState> due(Instant at) {
    return schedules.due(at, 1_000).stream().filter(each -> each.tenant().equals(tenant)).toList();
  }

  private ScheduleRun run(int minute, Outcome outcome) {
    Instant instant = NOW.plus(Duration.ofMinutes(minute));
    return outcome == Outcome.SUBMITTED
        ? document.value().submitted(state, instant, NOW, new JobId(stores.ids().next()))
        : document.value().without(state, instant, NOW, outcome, "why");
  }

  @Test
  void stateIsFoundByItsDocumentInItsTenantOnly() {
    TenantId other = TestWorld.in(stores).tenant().id();
    assertThat(schedules.find(tenant, state.document())).contains(state);
    assertThat(schedules.find(other, state.document())).isEmpty();
    assertThat(schedules.all(tenant)).containsExactly(state);
    assertThat(schedules.all(other)).isEmpty();
  }

  @Test
  void scheduleIsDueFromItsNextTime() {
    assertThat(due(NOW.plusSeconds(74))).isEmpty();
    assertThat(due(NOW.plusSeconds(75))).containsExactly(state);
  }

  @Test
  void suspendedScheduleOrOneWithoutANextInstantIsNotDue() {
    schedules.update(state.suspended(true));
    assertThat(due(NOW.plusSeconds(75))).isEmpty();
    schedules.update(state.next(null, null));
    assertThat(due(NOW.plusSeconds(75))).isEmpty();
  }

  @Test
  void longestWaitingScheduleIsFirst() {
    ConfigDocument<Schedule> earlier = document("earlier");
    ScheduleState waiting =
        ScheduleState.first(earlier.value().id(), tenant, earlier.name(), NOW)
            .next(NOW.plusSeconds(30), NOW.plusSeconds(30));
    schedules.insert(waiting);
    assertThat(due(NOW.plusSeconds(90))).containsExactly(waiting, state);
  }

  @Test
  void anUpdateReplacesAllButTheIdentity() {
    ScheduleState next =
        state.decided(NOW.plusSeconds(60)).next(NOW.plusSeconds(120), NOW.plusSeconds(135));
    stores
        .transactions()
        .run(() -> {
          assertThat(schedules.locked(tenant, state.document())).contains(state);
          schedules.update(next.failed(NOW.plusSeconds(300)));
        });
    assertThat(schedules.find(tenant, state.document()))
        .contains(next.failed(NOW.plusSeconds(300)));
  }

  @Test
  void scheduledTimeHasOneRun() {
    schedules.insert(run(1, Outcome.SUBMITTED));
    assertThatThrownBy(() -> schedules.insert(run(1, Outcome.REFUSED)))
        .isInstanceOf(Conflict.class);
    assertThat(schedules.runs(tenant, state.id(), ScheduleRun.AFTER_ALL, 10)).hasSize(1);
  }

  @Test
  void runsAreListedFromTheNewest() {
    List<ScheduleRun> made =
        List.of(run(3, Outcome.SUBMITTED), run(2, Outcome.MISSED).of(7), run(1, Outcome.SUBMITTED));
    made.forEach(schedules::insert);
    assertThat(schedules.runs(tenant, state.id(), ScheduleRun.AFTER_ALL, 2))
        .containsExactly(made.get(0), made.get(1));
    assertThat(schedules.runs(tenant, state.id(), made.get(1).instant(), 2))
        .containsExactly(made.get(2));
    assertThat(schedules.jobs(tenant, state.id(), 10))
        .containsExactly(made.get(0).job(), made.get(2).job());
    TenantId other = TestWorld.in(stores).tenant().id();
    assertThat(schedules.runs(other, state.id(), ScheduleRun.AFTER_ALL, 2)).isEmpty();
    assertThat(schedules.jobs(other, state.id(), 2)).isEmpty();
  }

  @Test
  void theNewestRunsAreRetained() {
    for (int minute = 1; minute <= 5; minute++) {
      schedules.insert(run(minute, Outcome.SUBMITTED));
    }
    schedules.forget(tenant, state.id(), 2);
    assertThat(schedules.runs(tenant, state.id(), ScheduleRun.AFTER_ALL, 10))
        .extracting(ScheduleRun::instant)
        .containsExactly(NOW.plusSeconds(300), NOW.plusSeconds(240));
  }

  @Test
  void aDocumentIsRemovedWithItsStateAndRuns() {
    schedules.insert(run(1, Outcome.SUBMITTED));
    stores.configs().remove(document);
    assertThat(schedules.find(tenant, state.document())).isEmpty();
    assertThat(due(NOW.plusSeconds(75))).isEmpty();
    assertThat(schedules.runs(tenant, state.id(), ScheduleRun.AFTER_ALL, 10)).isEmpty();
  }
}
