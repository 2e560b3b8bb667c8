package dev.fairlead.work.schedule.service;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.e2e.FairleadSubmits;
import dev.fairlead.e2e.InMemoryFairlead;
import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Membership;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantMember;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.Pipelines;
import dev.fairlead.work.job.service.query.Submitted;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.store.Pipeline;
import dev.fairlead.work.schedule.Schedule;
import dev.fairlead.work.schedule.Schedule.CatchUp;
import dev.fairlead.work.schedule.Schedule.Overlap;
import dev.fairlead.work.schedule.ScheduleRun;
import dev.fairlead.work.schedule.ScheduleRun.Outcome;
import dev.fairlead.work.schedule.service.ScheduleView.RunView;
import dev.fairlead.work.schedule.service.Schedules.Name;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Follows schedules from their first instant to their deletion. They submit jobs in the same way as
 * users.
 */
class ScheduleJourneyTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final String BROKEN = "{\"template\":{\"name\":\"gone\"}}";
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final Actor ana = fairlead.ana();
  private final Bodies bodies = new Bodies();
  private final ScheduleOwners owners = new ScheduleOwners(stores.memberships(), stores.tenants());
  private final Schedules schedules =
      new Schedules(
          stores.transactions(),
          stores.schedules(),
          stores.configs(),
          stores.tenants(),
          owners,
          bodies,
          stores.jobs(),
          FairleadSubmits.of(fairlead),
          stores.audit(),
          stores.ids());
  private final ScheduleLoop loop =
      new ScheduleLoop(
          fairlead.leases(),
          stores.schedules(),
          new ScheduleStep(
              stores.schedules(),
              stores.configs(),
              stores.tenants(),
              owners,
              bodies,
              stores.jobs(),
              FairleadSubmits.of(fairlead),
              stores.transactions(),
              new SimpleMeterRegistry()),
          new BelievedClock(
              () -> new ClockStore.Reading(stores.clock().millis(), 0, 0, 0),
              fairlead.leases(),
              stores.clock(),
              new SimpleMeterRegistry()),
          stores.jobs(),
          new SimpleMeterRegistry());
  private TenantMember member = member("ana");

  /** The job with its template, or a refusal as of a template that was deleted. */
  private static final class Bodies implements JobReader {
    private boolean defect;
    private Specs job = Specs.job("").gpus(1);

    @Override
    public JobSpec read(Actor actor, String project, String json) {
      if (defect) {
        throw new IllegalStateException("the connection is gone");
      }
      if (json.equals(BROKEN)) {
        throw new Refusal(ProblemCode.NOT_FOUND, "There is no template \"gone\".");
      }
      return job.build();
    }

    @Override
    public Map<String, Object> shown(String json) {
      return Map.of();
    }
  }

  private TenantMember member(String principal) {
    return new TenantMember(
        stores.ids().next(),
        principal,
        new Membership(ana.tenant(), fairlead.project().id(), Role.PROJECT_MEMBER),
        stores.clock().instant(),
        "test",
        0);
  }

  @BeforeEach
  void aMember() {
    stores.memberships().insert(member);
    member =
        stores.memberships().member(ana.tenant(), fairlead.project().id(), "ana").orElseThrow();
    pass(Duration.ofSeconds(5));
  }

  private void pass(Duration time) {
    for (long left = time.toSeconds(); left > 0; left--) {
      stores.clock().advance(Duration.ofSeconds(1));
      while (loop.tick()) {
        // more work is due
      }
    }
  }

  private Name name(String schedule) {
    return new Name(fairlead.project().name(), schedule);
  }

  private ScheduleView put(String name, Overlap overlap, String job) {
    return schedules.put(ana, name(name), request(overlap, job), null, false);
  }

  private static Schedules.Request request(Overlap overlap, String job) {
    return new Schedules.Request(
        new Schedule.Timing(
            "* * * * *",
            "UTC",
            Schedule.RepeatedTime.ONCE,
            Schedule.SkippedTime.SHIFT,
            Duration.ZERO),
        CatchUp.LAST,
        1,
        overlap,
        job);
  }

  /** Stores a schedule whose template is deleted later. */
  private void broken(String name) {
    put(name, Overlap.ALLOW, "{}");
    stores
        .configs()
        .find(Schedule.DOCUMENTS, ana.tenant(), Schedule.document(fairlead.project().id(), name))
        .ifPresent(document -> {
          Schedule old = document.value();
          var _ =
              stores
                  .configs()
                  .put(
                      document.with(
                          new Schedule(
                              old.id(),
                              old.name(),
                              old.project(),
                              old.owner(),
                              old.administrator(),
                              old.timing(),
                              old.catchUp(),
                              old.catchUpMost(),
                              old.overlap(),
                              BROKEN)));
        });
  }

  private List<RunView> runs(String name) {
    return schedules.runs(ana, name(name), ScheduleRun.AFTER_ALL, 100);
  }

  private List<Job> jobs(String name) {
    return stores.jobs().all().stream()
        .filter(job -> name.equals(job.spec().labels().get(Schedule.LABEL)))
        .toList();
  }

  @Test
  void eachInstantSubmitsAJobInTheNameOfTheOwner() {
    put("nightly", Overlap.ALLOW, "{}");
    pass(MINUTE.multipliedBy(3));
    assertThat(runs("nightly")).hasSize(3).allMatch(run -> run.outcome() == Outcome.SUBMITTED);
    assertThat(jobs("nightly"))
        .hasSize(3)
        .allMatch(job -> job.user().equals("ana") && job.state() == JobState.QUEUED)
        .extracting(Job::name)
        .containsExactlyInAnyOrderElementsOf(
            runs("nightly").stream()
                .map(run -> "nightly-" + run.instant().getEpochSecond() / 60)
                .toList());
  }

  /** Fails when a retry of one run repeats the jobs of other instants. */
  @Test
  void eachRunIsASeparatePipeline() {
    bodies.job = Specs.job("").gpus(1).label(Pipeline.LABEL, "night");
    put("nightly", Overlap.ALLOW, "{}");
    pass(MINUTE.multipliedBy(3));
    List<Job> submitted = jobs("nightly");
    submitted.forEach(job -> fairlead.commands().cancel(ana, job.id()));
    Pipelines pipelines =
        new Pipelines(
            stores.transactions(), stores.jobs(), fairlead.queries(), fairlead.commands());

    Job failed = submitted.getFirst();
    String pipeline = failed.name().replace("nightly", "night");
    List<Submitted> again =
        pipelines.retry(
            ana, fairlead.project().name(), pipeline, UnaryOperator.identity(), null, false);

    assertThat(again).extracting(each -> each.job().name()).containsExactly(failed.name());
    assertThat(pipelines.list(ana, fairlead.project().name(), "", 10)).hasSize(3);
    assertThatThrownBy(() -> pipelines.pipeline(ana, fairlead.project().name(), "night"))
        .isInstanceOf(Refusal.class);
  }

  /** Fails when the name of a run is longer than the value of a label may be, or has no minute. */
  @Test
  void aLongPipelineIsCutBeforeTheMinute() {
    bodies.job = Specs.job("").gpus(1).label(Pipeline.LABEL, "n".repeat(63));
    put("nightly", Overlap.ALLOW, "{}");
    pass(MINUTE);

    Job job = jobs("nightly").getFirst();
    assertThat(job.spec().labels().get(Pipeline.LABEL))
        .hasSize(63)
        .endsWith("n" + job.name().substring("nightly".length()));
  }

  @Test
  void anInstantIsSkippedWhileTheEarlierJobHasNotEnded() {
    put("nightly", Overlap.SKIP, "{}");
    pass(MINUTE.multipliedBy(2));
    assertThat(runs("nightly"))
        .extracting(RunView::outcome)
        .containsExactly(Outcome.OVERLAPPED, Outcome.SUBMITTED);
    assertThat(runs("nightly").getFirst().reason()).contains("is QUEUED");
    Job _ = fairlead.commands().cancel(ana, jobs("nightly").getFirst().id());
    pass(MINUTE);
    assertThat(runs("nightly").getFirst().outcome()).isEqualTo(Outcome.SUBMITTED);
  }

  @Test
  void earlierJobIsCancelledUnderTheReplacePolicy() {
    put("nightly", Overlap.REPLACE, "{}");
    pass(MINUTE.multipliedBy(3));
    assertThat(runs("nightly")).hasSize(3).allMatch(run -> run.outcome() == Outcome.SUBMITTED);
    assertThat(jobs("nightly")).filteredOn(job -> !job.run().ended()).hasSize(1);
  }

  @Test
  void runOfAnOwnerWithoutMembershipIsRejected() {
    put("nightly", Overlap.ALLOW, "{}");
    pass(MINUTE);
    stores.memberships().delete(member);
    pass(MINUTE);
    RunView last = schedules.one(fairlead.operator(), name("nightly")).lastRun();
    assertThat(last.outcome()).isEqualTo(Outcome.REFUSED);
    assertThat(last.reason()).startsWith("FORBIDDEN").contains("ana has none here");
    assertThat(jobs("nightly")).hasSize(1);
  }

  @Test
  void onlyAStoredMemberAddsASchedule() {
    Actor guest = new Actor(ana.tenant(), "gus", Role.TENANT_MEMBER);
    assertThatThrownBy(
            () -> schedules.put(guest, name("x"), request(Overlap.ALLOW, "{}"), null, false))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("schedule-journey.schedule-runs-name-gus", "gus"));
    stores.memberships().insert(member("gus"));
    ScheduleView stored =
        schedules.put(guest, name("x"), request(Overlap.ALLOW, "{}"), null, false);
    assertThat(stored.owner()).isEqualTo("gus");
  }

  @Test
  void anAdministratorNeedsNoMembership() {
    ScheduleView _ =
        schedules.put(
            fairlead.operator(), name("nightly"), request(Overlap.ALLOW, "{}"), null, false);
    pass(MINUTE);
    assertThat(runs("nightly").getFirst().outcome()).isEqualTo(Outcome.SUBMITTED);
    assertThat(put("nightly", Overlap.ALLOW, "{}").owner()).isEqualTo("ana");
    stores.memberships().delete(member);
    pass(MINUTE);
    assertThat(runs("nightly").getFirst().outcome()).isEqualTo(Outcome.REFUSED);
  }

  /** Fails when a schedule that is always refused, or always fails, stops or delays the others. */
  @Test
  void failingScheduleDelaysNoOther() {
    broken("a-broken");
    put("z-sound", Overlap.ALLOW, "{}");
    pass(MINUTE.multipliedBy(3));
    assertThat(runs("a-broken"))
        .hasSize(3)
        .allMatch(run -> run.reason().equals("NOT_FOUND: There is no template \"gone\"."));
    assertThat(runs("z-sound")).hasSize(3).allMatch(run -> run.outcome() == Outcome.SUBMITTED);
  }

  @Test
  void internalErrorIsRetriedAndThenRecordedForTheInstant() {
    Schedules.Request every = request(Overlap.ALLOW, "{}");
    ScheduleView _ =
        schedules.put(
            ana,
            name("nightly"),
            new Schedules.Request(every.timing(), CatchUp.ALL, 100, every.overlap(), every.job()),
            null,
            false);
    bodies.defect = true;
    pass(MINUTE);
    assertThat(runs("nightly")).isEmpty();
    bodies.defect = false;
    pass(MINUTE);
    assertThat(runs("nightly").getLast().outcome()).isEqualTo(Outcome.SUBMITTED);
    bodies.defect = true;
    pass(MINUTE.multipliedBy(20));
    assertThat(runs("nightly").getFirst().outcome()).isEqualTo(Outcome.FAILED);
    assertThat(runs("nightly").getFirst().reason())
        .satisfies(reason("schedule-journey.failed-times-connection-gone", 10));
  }

  @Test
  void afterAnOutageTheLastInstantIsSubmittedAndTheOthersAreCounted() {
    put("nightly", Overlap.ALLOW, "{}");
    stores.clock().advance(Duration.ofHours(5));
    pass(Duration.ofSeconds(10));
    assertThat(runs("nightly"))
        .extracting(RunView::outcome)
        .containsExactly(Outcome.SUBMITTED, Outcome.MISSED);
    assertThat(runs("nightly").getLast().instants()).isEqualTo(299);
  }

  @Test
  void suspendedScheduleSubmitsNothingAndCatchesUpNothing() {
    put("nightly", Overlap.ALLOW, "{}");
    assertThat(schedules.suspend(ana, name("nightly"), false).suspended()).isTrue();
    pass(MINUTE.multipliedBy(3));
    assertThat(schedules.resume(ana, name("nightly"), false).suspended()).isFalse();
    Instant resumed = stores.clock().instant();
    pass(MINUTE);
    assertThat(runs("nightly")).hasSize(1).allMatch(run -> run.instant().isAfter(resumed));
  }

  @Test
  void newTimesApplyFromTheChangeAndADryRunStoresNothing() {
    ScheduleView first = put("nightly", Overlap.ALLOW, "{}");
    assertThat(first.upcoming()).hasSize(10);
    Schedules.Request yearly =
        new Schedules.Request(
            new Schedule.Timing(
                "0 0 1 1 *",
                "Europe/Berlin",
                Schedule.RepeatedTime.ONCE,
                Schedule.SkippedTime.SHIFT,
                Duration.ZERO),
            CatchUp.LAST,
            1,
            Overlap.ALLOW,
            "{}");
    ScheduleView trial = schedules.put(ana, name("nightly"), yearly, first.version(), true);
    assertThat(trial.upcoming().getFirst().instant()).isEqualTo("2030-12-31T23:00:00Z");
    pass(MINUTE);
    assertThat(runs("nightly")).hasSize(1);
    ScheduleView _ = schedules.put(ana, name("nightly"), yearly, first.version(), false);
    pass(MINUTE.multipliedBy(2));
    assertThat(runs("nightly")).hasSize(1);
    assertThat(schedules.preview(ana, name("nightly"), null).getFirst().localTime())
        .isEqualTo("2031-01-01T00:00:00+01:00");
    assertThatThrownBy(() -> schedules.put(ana, name("nightly"), yearly, first.version(), false))
        .satisfies(problem("schedule-journey.changed-since-read"));
  }

  @Test
  void aDeletedScheduleLeavesItsJobs() {
    put("nightly", Overlap.ALLOW, "{}");
    pass(MINUTE);
    schedules.delete(ana, name("nightly"), null, false);
    pass(MINUTE);
    assertThat(jobs("nightly")).hasSize(1);
    assertThatThrownBy(() -> runs("nightly")).isInstanceOf(Refusal.class);
  }

  @Test
  void pageStartsAfterTheLastName() {
    List.of("c", "a", "b").forEach(each -> put(each, Overlap.ALLOW, "{}"));
    assertThat(schedules.page(ana, fairlead.project().name(), "a", 10))
        .extracting(ScheduleView::name)
        .containsExactly("b", "c");
  }
}
