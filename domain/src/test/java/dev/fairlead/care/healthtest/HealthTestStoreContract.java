package dev.fairlead.care.healthtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.healthtest.HealthTestRun.Demand;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.attempt.Preflight.Verdict;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class HealthTestStoreContract {
  private static final Instant AT = Instant.parse("2026-03-01T12:00:00Z");
  private HealthTestStore tests;
  private Stores stores;

  protected abstract Stores stores();

  @BeforeEach
  void aStore() {
    stores = stores();
    tests = stores.healthTests();
  }

  private HealthTest test(String name, int atOnce) {
    return new HealthTest(
        name,
        new TenantId(stores.ids().next()),
        "fleet",
        Specs.job("t").gpus(8).build(),
        Duration.ofDays(7),
        Duration.ofMinutes(10),
        atOnce,
        RepairStep.SERVICE,
        "olga",
        AT);
  }

  private HealthTestRun run(String test, NodeId node) {
    return new HealthTestRun(
        new HealthTestRunId(stores.ids().next()),
        test,
        new ClusterId(stores.ids().next()),
        node,
        "gpu-1",
        "olga",
        AT,
        null,
        null,
        "",
        null,
        null);
  }

  private NodeId node() {
    return new NodeId(stores.ids().next());
  }

  private HealthTestRun ended(String test, NodeId node) {
    HealthTestRun run = run(test, node);
    tests.insert(run);
    HealthTestRun ended = run.ended(HealthTestOutcome.PASSED, "", AT);
    tests.update(ended);
    return ended;
  }

  /** Fails when a field of a test is not stored, or a replaced or removed test is read. */
  @Test
  void latestDefinitionOfATestIsRead() {
    ConfigStore documents = stores.configs();
    String name = "nccl-" + node().bare();
    ConfigDocument<HealthTest> first = documents.put(test(name, 1).document());
    ConfigDocument<HealthTest> second = documents.put(first.with(test(name, 3)));

    assertThat(tests.test(name)).contains(second.value());
    assertThat(tests.tests()).contains(second.value()).doesNotContain(first.value());
    documents.remove(second);
    assertThat(tests.test(name)).isEmpty();
  }

  /** Fails when a field of a run is not stored. */
  @Test
  void storedRunIsReadBack() {
    HealthTestRun run = run("dcgm", node());
    tests.insert(run);
    assertThat(tests.open()).contains(run);
    HealthTestRun running = run.running(new JobId(stores.ids().next()));
    tests.update(running);
    assertThat(tests.run(run.id())).contains(running);
    HealthTestRun ended = running.ended(HealthTestOutcome.HUNG, "ran longer", AT);
    tests.update(ended);
    assertThat(tests.run(run.id())).contains(ended);
    assertThat(tests.open()).extracting(HealthTestRun::id).doesNotContain(run.id());
  }

  /** Fails without the unique index, and when an end is written over. */
  @Test
  void nodeIsTestedOnceAtATimeAndAnEndIsFinal() {
    NodeId node = node();
    HealthTestRun run = run("dcgm", node);
    tests.insert(run);
    Refused.by(Guard.VERSION, () -> tests.insert(run("nccl", node)));
    tests.update(run.ended(HealthTestOutcome.PASSED, "", AT));
    Refused.by(Guard.VERSION, () -> tests.update(run.ended(HealthTestOutcome.FAILED, "late", AT)));
    tests.insert(run("nccl", node));
  }

  /** Fails when an older run, or one of another test, counts as the last. */
  @Test
  void newestRunOfEachNodeIsItsLast() {
    String test = "dcgm-" + node().bare();
    NodeId one = node();
    NodeId two = node();
    HealthTestRun first = ended(test, one);
    HealthTestRun second = ended(test, one);
    HealthTestRun other = ended(test, two);
    HealthTestRun ofAnother = ended("other-" + test, one);

    assertThat(tests.last(test)).containsEntry(one, second).containsEntry(two, other).hasSize(2);
    assertThat(tests.runs(test, null, null, 2)).containsExactly(other, second);
    assertThat(tests.runs(test, null, other.id(), 9)).containsExactly(second, first);
    assertThat(tests.runs(null, one, null, 9)).containsExactly(ofAnother, second, first);
  }

  /** Fails when a preflight test is not read, or a test for another job counts. */
  @Test
  void testsForWaitingJobsAreReadByTheirResult() {
    String test = "dcgm-" + node().bare();
    JobId job = new JobId(stores.ids().next());
    Demand wanted = new Demand(job, 3, AT.minusSeconds(9), 8, false);
    HealthTestRun runs = run(test, node()).of(wanted);
    HealthTestRun passed = run(test, node()).of(wanted);
    HealthTestRun left = run(test, node()).of(wanted);
    List.of(runs, passed, left, run(test, node())).forEach(tests::insert);
    tests.update(passed.ended(HealthTestOutcome.PASSED, "", AT));
    tests.update(left.unwanted().ended(HealthTestOutcome.INTERRUPTED, "", AT));

    List<Preflight> known =
        tests.preflights(AT.minusSeconds(1)).stream()
            .filter(each -> each.of().job().equals(job))
            .toList();
    assertThat(known)
        .containsExactly(
            new Preflight(wanted.key(), wanted.since(), runs.node(), null, Verdict.RUNS, AT),
            new Preflight(wanted.key(), wanted.since(), passed.node(), null, Verdict.PASSED, AT));
    assertThat(tests.preflights(AT))
        .filteredOn(each -> each.of().job().equals(job))
        .as("of those that ended, those after that time")
        .hasSize(1);
    assertThat(tests.last(test)).as("they are not scheduled tests").hasSize(1);
  }

  /** Fails when running tests are deleted too, or nothing is deleted. */
  @Test
  void oldRunsAreDeleted() {
    HealthTestRun old = ended("dcgm", node());
    HealthTestRun open = run("dcgm", node());
    tests.insert(open);
    int left = tests.forget(AT, 9);
    assertThat(left).isZero();
    while (tests.forget(AT.plusSeconds(1), 1) > 0) {
      assertThat(tests.run(open.id())).isPresent();
    }
    assertThat(tests.run(old.id())).isEmpty();
  }
}
