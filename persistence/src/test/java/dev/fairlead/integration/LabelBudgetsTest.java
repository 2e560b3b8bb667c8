package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetRecount;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetTimes;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Budgets of the jobs with one label, by a clock that the test sets. */
class LabelBudgetsTest extends BudgetsByClock {
  private Budget budget(String name, Map<String, String> label, Budget.Mode mode) {
    return new Budget(
        new BudgetId(stores.ids().next()),
        new BudgetScope(world.tenant().id(), null, null, null, new TreeMap<>(label)),
        name,
        BudgetUnit.GPU_HOURS,
        BudgetTimes.hours(2),
        BudgetPeriod.MONTH,
        mode,
        BudgetExhaustedPolicy.FINISH,
        List.of(),
        List.of(),
        1);
  }

  private Budget ofTeam(String team) {
    Budget budget = budget(team, Map.of("team", team), Budget.Mode.SOFT);
    budgets.insert(budget, budgets.closed(budget), false);
    return budget;
  }

  private Attempt running(Specs spec, String node) {
    return world.run(
        world.place(world.submit(spec.gpus(1).maxRuntime(Duration.ofHours(3))), 0, node));
  }

  /** GPU-hours by the name of the budget: spent and reserved. */
  private SortedMap<String, List<Long>> figures() {
    SortedMap<String, List<Long>> figures = new TreeMap<>();
    budgets
        .budgets(world.tenant().id())
        .forEach(state -> {
          BudgetUse use = state.use(NEXT_MONTH);
          figures.put(
              state.budget().name(),
              List.of(
                  use.spent().longValueExact() / Budget.GPU_HOUR,
                  use.reserved().longValueExact() / Budget.GPU_HOUR));
        });
    return figures;
  }

  private List<BudgetRecount.Drift> recount(Budget budget) {
    ClosedUse closed = budgets.closed(budget);
    return stores.transactions().forAllTenants(() -> budgets.recount(budget.id(), closed));
  }

  /**
   * Fails when a job without the label or with another value counts, when the start of a job with
   * the label is refused, or when the end uses the labels that the job has by then.
   */
  @Test
  void jobsWithTheLabelAtTheirStartCountAndNoneWaits() {
    Budget nlp = ofTeam("nlp");
    Budget vision = ofTeam("vision");
    Attempt counted = running(Specs.job("a").label("team", "nlp").label("stage", "dev"), "node-1");
    Attempt other = running(Specs.job("b").label("stage", "nlp"), "node-1");
    assertThat(figures())
        .containsEntry("nlp", List.of(0L, 3L))
        .containsEntry("vision", List.of(0L, 0L));

    clock.to(MIDDLE + HOUR);
    relabelled(counted, "{\"team\": \"vision\"}");
    world.succeed(counted);
    world.succeed(other);

    assertThat(figures())
        .containsEntry("nlp", List.of(1L, 0L))
        .containsEntry("vision", List.of(0L, 0L));
    assertThat(recount(nlp)).isEmpty();
    assertThat(recount(vision)).isEmpty();
  }

  private void relabelled(Attempt attempt, String labels) {
    stores
        .jdbc()
        .sql("UPDATE job SET labels = CAST(:labels AS jsonb) WHERE id = :job")
        .param("labels", labels)
        .param("job", attempt.job().value())
        .update();
  }

  /**
   * Fails when a new budget counts the usage of all jobs, or omits usage of its own jobs in closed
   * hours, in open hours, or at present.
   */
  @Test
  void newBudgetStartsWithTheUseOfItsLabel() {
    world.succeed(running(Specs.job("none"), "node-1"));
    Attempt closed = running(Specs.job("closed").label("team", "nlp"), "node-1");
    Attempt held = running(Specs.job("held").label("team", "nlp"), "node-1");
    Attempt without = running(Specs.job("without"), "node-2");
    clock.to(MIDDLE + HOUR);
    world.succeed(closed);
    Attempt open = running(Specs.job("open").label("team", "nlp"), "node-1");
    clock.to(MIDDLE + 3 * HOUR);
    closeHours(MIDDLE + 2 * HOUR);
    world.succeed(open);
    world.succeed(without);

    Budget budget = ofTeam("nlp");

    // closed 1, open 2. Held for three hours, and for another hour
    assertThat(figures()).containsEntry("nlp", List.of(3L, 4L));
    assertThat(recount(budget)).isEmpty();
    clock.to(MIDDLE + 4 * HOUR);
    world.succeed(held);
    assertThat(figures()).containsEntry("nlp", List.of(7L, 0L));
    assertThat(recount(budget)).isEmpty();
  }

  /** Fails when a row written by another version or by hand makes a label block jobs. */
  @Test
  void labelBudgetNeverBlocksAJob() {
    Budget hard = budget("hard", Map.of("team", "nlp"), Budget.Mode.HARD);
    budgets.insert(hard, budgets.closed(hard), false);
    running(Specs.job("one").label("team", "nlp"), "node-1");
    stores
        .jdbc()
        .sql("UPDATE budget SET mode = 'GENTLE' WHERE id = :id")
        .param("id", hard.id().value())
        .update();

    running(Specs.job("two").label("team", "nlp"), "node-1");

    assertThat(figures()).containsEntry("hard", List.of(0L, 3L));
  }

  /** Fails when labels outlive the usage intervals that need them, or are removed earlier. */
  @Test
  void labelsAreDeletedWithTheUsageOfTheirAttempt() {
    closeHours(0);
    clock.to(System.currentTimeMillis() - 500 * 24 * HOUR);
    Attempt ended = running(Specs.job("ended").label("team", "nlp"), "node-1");
    Attempt runs = running(Specs.job("runs").label("team", "nlp"), "node-1");
    world.succeed(ended);

    assertThat(
            stores.bean(RetentionStore.class).clear(RetentionStore.Kind.USAGE, Ages.DEFAULT, 100))
        .isEqualTo(1);

    assertThat(labelled(ended)).isFalse();
    assertThat(labelled(runs)).isTrue();
  }

  private boolean labelled(Attempt attempt) {
    return stores
        .jdbc()
        .sql("SELECT EXISTS (SELECT FROM attempt_label WHERE attempt = :attempt)")
        .param("attempt", attempt.id().value())
        .query(Boolean.class)
        .single();
  }

  /** A job without GPUs leaves no labels. Fails when each start writes a row. */
  @Test
  void jobWithoutGpusLeavesNoLabels() {
    Job job = world.submit(Specs.job("cpu").label("team", "nlp"));
    assertThat(labelled(world.place(job, 0, "node-1"))).isFalse();
  }
}
