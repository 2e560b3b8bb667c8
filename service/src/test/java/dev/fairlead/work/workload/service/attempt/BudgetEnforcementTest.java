package dev.fairlead.work.workload.service.attempt;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetTimes;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.OneBudget;
import dev.fairlead.money.budget.OverdrawingAttempt;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Jobs whose running hours exceed their budget. */
class BudgetEnforcementTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final OneBudget budget = new OneBudget(stores.clock().instant().toEpochMilli());
  private final BudgetEnforcement enforcement =
      new BudgetEnforcement(
          stores.jobs(),
          new JobWriter(stores.jobs(), stores.explanations(), t -> {}),
          budget,
          stores.audit());

  private void budget(BudgetExhaustedPolicy policy, long spent, long reserved) {
    Budget hard =
        new Budget(
                new BudgetId(stores.ids().next()),
                new BudgetScope(world.tenant().id(), null, null, null),
                "research",
                BudgetUnit.GPU_HOURS,
                BudgetTimes.hours(10),
                BudgetPeriod.MONTH,
                Budget.Mode.HARD,
                BudgetExhaustedPolicy.FINISH,
                List.of(),
                List.of(),
                1)
            .at(policy);
    long month = BudgetPeriod.MONTH.begin(budget.now());
    budget.is(
        new BudgetState(hard, new TreeMap<>(Map.of(month, BudgetTimes.use(spent, reserved)))));
  }

  private Attempt running(Specs spec) {
    return world.run(world.place(world.submit(spec.gpus(1))));
  }

  private boolean meets(Attempt attempt) {
    return enforcement.enforce(
        new OverdrawingAttempt(budget.id(), attempt.id().value(), attempt.job(), budget.now()));
  }

  private List<AuditRecord> audited() {
    return stores.audit().entries().stream()
        .filter(row -> row.operation().equals("stopAtBudget"))
        .toList();
  }

  /**
   * Fails when a preempted job gets no checkpoint request, is not queued again, or when attempt,
   * decision or audit do not name the budget and its figures.
   */
  @Test
  void aPreemptedJobSavesItsWorkAndWaitsAgain() {
    budget(BudgetExhaustedPolicy.PREEMPT, 10, 2);
    Attempt attempt = running(Specs.job("train").checkpointTimeout(Duration.ofMinutes(5)));

    assertThat(meets(attempt)).isTrue();

    Attempt stopping = world.attempt(attempt);
    assertThat(stopping.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(stopping.awaitedCheckpoint()).isNotNull();
    String why =
        "budget research is spent: 10 GPU-hours spent and 2 reserved for running jobs of 10, 2 over"
            + " the limit";
    assertThat(Objects.requireNonNull(stopping.failure()).message())
        .startsWith(why)
        .satisfies(reason("budget-enforcement.waits-until-there-room"));
    List<DecisionRecord> decided =
        stores.explanations().decisions(world.tenant().id(), attempt.job());
    assertThat(decided.getLast().body())
        .isInstanceOfSatisfying(
            DecisionRecord.Evicted.class, evicted -> assertThat(evicted.message()).startsWith(why));
    assertThat(audited()).hasSize(1);
    assertThat(audited().getFirst().subject()).isEqualTo(attempt.job().text());
    assertThat(audited().getFirst().detail())
        .containsEntry("budget", "research")
        .containsEntry("limit", "10")
        .containsEntry("overdrawn", "2");
    assertThat(meets(stopping)).isFalse();

    world.apply(stopping, ended());
    assertThat(world.jobOf(attempt).state()).isEqualTo(JobState.QUEUED);
  }

  private static AttemptEvent ended() {
    return new AttemptEvent.Ended(
        AttemptState.PREEMPTED, Failure.of(FailureCause.PREEMPTED, "over", 1));
  }

  /** Fails when a suspended job resumes without an order, or its event has no cause. */
  @Test
  void aSuspendedJobWaitsUntilItIsResumed() {
    budget(BudgetExhaustedPolicy.SUSPEND, 10, 2);
    Attempt attempt = running(Specs.job("train"));

    assertThat(meets(attempt)).isTrue();

    assertThat(world.jobOf(attempt).state()).isEqualTo(JobState.SUSPENDED);
    assertThat(world.attempt(attempt).state()).isEqualTo(AttemptState.STOPPING);
    assertThat(stores.events().after(EventPosition.START, 1_000))
        .anySatisfy(event -> {
          assertThat(event.fact().type()).isEqualTo("AttemptBudgetSpent");
          assertThat(event.fact().data().toString()).contains("research", "resume it");
        });
    assertThat(audited()).hasSize(1);
  }

  /** Fails when elements of an array with remaining hours are suspended too. */
  @Test
  void anElementOfAnArrayIsPreemptedAlone() {
    budget(BudgetExhaustedPolicy.SUSPEND, 10, 2);
    Job array = world.submit(Specs.job("sweep").array("0-1").gpus(1));
    Attempt first = world.run(world.place(array, 0, "node-1"));
    Attempt second = world.run(world.place(world.job(array), 1, "node-1"));

    assertThat(meets(first)).isTrue();

    assertThat(world.attempt(first).state()).isEqualTo(AttemptState.STOPPING);
    assertThat(world.attempt(second).state()).isEqualTo(AttemptState.RUNNING);
    assertThat(world.job(array).state()).isNotEqualTo(JobState.SUSPENDED);
  }

  /** Fails when a job is stopped in spite of a new grant, a softer policy or a deleted budget. */
  @Test
  void budgetWithRoomByThenStopsNothing() {
    Attempt attempt = running(Specs.job("train"));
    budget(BudgetExhaustedPolicy.PREEMPT, 8, 2);
    assertThat(meets(attempt)).isFalse();
    budget(BudgetExhaustedPolicy.FINISH, 10, 2);
    assertThat(meets(attempt)).isFalse();
    OverdrawingAttempt met =
        new OverdrawingAttempt(budget.id(), attempt.id().value(), attempt.job(), budget.now());
    budget.isGone();
    assertThat(enforcement.enforce(met)).isFalse();
    assertThat(world.attempt(attempt).state()).isEqualTo(AttemptState.RUNNING);
    assertThat(audited()).isEmpty();
  }
}
