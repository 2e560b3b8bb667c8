package dev.fairlead.front.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.e2e.FairleadSubmits;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontJob;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs of a front cluster that vanish, one or many at a time. */
class FrontMissingTest extends FrontHarness {
  private final Actor operator = new Actor(fairlead.project().tenant(), "olga", Role.OPERATOR);
  private final FrontCommands commands =
      new FrontCommands(
          stores.transactions(),
          stores.fronts(),
          stores.inventory(),
          stores.tenants(),
          stores.audit(),
          stores.clock());

  @BeforeEach
  void jobsThatRunForHours() {
    documents = (actor, project, json) -> runsFor("100h").build();
  }

  private static String uid(int number) {
    return "%08d-8f0e-4a56".formatted(number);
  }

  private void create(int from, int to) {
    IntStream.range(from, to).forEach(i -> cluster.create(uid(i), "team-a", "train-" + i));
    pass(3);
  }

  private void vanish(int from, int to) {
    IntStream.range(from, to).forEach(i -> cluster.vanish(uid(i)));
  }

  private long cancelled() {
    return jobs().stream()
        .map(Job::state)
        .filter(state -> state == JobState.CANCELLED || state == JobState.CANCELLING)
        .count();
  }

  private int doubted() {
    return commands.breakers(operator).stream().mapToInt(FrontCommands.BreakerView::missing).sum();
  }

  private void confirm(int missing) {
    FrontCommands.BreakerView _ =
        commands.confirm(operator, elsewhere.cluster().name(), missing, false);
  }

  /** Fails when an ordering cluster that forgot its Jobs cancels them, or fails them on return. */
  @Test
  void serverChangeBehindAFrontCancelsNothingAndFailsNothing() {
    create(0, 30);
    FrontCluster right = cluster;
    cluster = new FrontCluster();
    cluster.create(UID, "team-a", "of-the-other-server");
    pass(20);

    assertThat(cancelled()).isZero();
    assertThat(jobs()).as("a Job of another server is not taken up").hasSize(30);
    assertThat(doubted()).isEqualTo(30);
    assertThat(metrics.get(Metric.FRONT_MISSING.meter()).gauge().value()).isEqualTo(30);

    cluster = right;
    create(30, 31);

    assertThat(cancelled()).isZero();
    assertThat(jobs()).hasSize(31);
    assertThat(doubted()).isZero();
    assertThat(metrics.get(Metric.FRONT_MISSING.meter()).gauge().value()).isZero();
    for (int i = 0; i < 31; i++) {
      assertThat(cluster.status(uid(i)).is(FrontCondition.SUBMITTED)).isTrue();
      assertThat(cluster.status(uid(i)).finished()).isFalse();
    }
  }

  /** Fails when a Job that waited for the breaker waits for the next full check after it closed. */
  @Test
  void jobThatWaitedForTheBreakerIsAdoptedWhenItCloses() {
    create(0, 30);
    FrontCluster right = cluster;
    cluster = new FrontCluster();
    pass(5);
    assertThat(doubted()).isEqualTo(30);
    cluster = right;
    vanish(0, 25);
    create(30, 31);
    assertThat(jobs()).as("25 of 30 are missing").hasSize(30);

    confirm(25);
    pass(5);

    assertThat(jobs()).hasSize(31);
  }

  /** Fails when a user who removes finalizers stops the Jobs of all users of the front. */
  @Test
  void missingJobsStopTheirNamespaceAlone() {
    map("team-b");
    cluster.create(uid(50), "team-b", "of-another-team");
    create(0, 30);
    vanish(0, 25);
    pass(3);
    assertThat(doubted()).isEqualTo(25);

    cluster.create(uid(51), "team-b", "another-of-that-team");
    create(30, 31);

    assertThat(stores.fronts().find(front, List.of(uid(30), uid(51))))
        .extracting(FrontJob::namespace)
        .containsExactly("team-b");
    assertThat(cancelled()).isZero();

    IntStream.range(0, 25).forEach(i -> cluster.create(uid(i), "team-a", "train-" + i));
    pass(3);
    assertThat(stores.fronts().find(front, List.of(uid(30)))).hasSize(1);
  }

  /** Fails when a namespace waits for the breaker after its own Jobs are shown again. */
  @Test
  void namespaceContinuesWhenItsJobsReturnWhileOthersAreMissing() {
    map("team-b");
    create(0, 30);
    cluster.create(uid(50), "team-b", "leaves-and-returns");
    cluster.create(uid(51), "team-b", "stays");
    pass(3);
    vanish(0, 25);
    cluster.vanish(uid(50));
    pass(3);
    cluster.create(uid(52), "team-b", "waits");
    pass(3);
    assertThat(stores.fronts().find(front, List.of(uid(52)))).isEmpty();

    cluster.create(uid(50), "team-b", "leaves-and-returns");
    pass(3);

    assertThat(doubted()).isEqualTo(25);
    assertThat(stores.fronts().find(front, List.of(uid(52)))).hasSize(1);
  }

  /**
   * Fails when objects of a kind that the cluster does not list count as missing: their jobs would
   * be cancelled, or many would open the breaker.
   */
  @Test
  void unlistableKindIsNotMissingAndBlocksNoOther() {
    for (int many : new int[] {3, 40}) {
      IntStream.range(0, many)
          .forEach(i -> cluster.create(uid(i), "team-a", "workload/train-" + i));
      pass(3);
      cluster.cannotList("workload/");
      vanish(0, many);
      pass = newPass();
      cluster.create(uid(100 + many), "team-a", "of-another-kind");
      pass(10);

      assertThat(cancelled()).isZero();
      assertThat(doubted()).isZero();
      assertThat(stores.fronts().find(front, List.of(uid(100 + many)))).hasSize(1);

      IntStream.range(0, many)
          .forEach(i -> cluster.create(uid(i), "team-a", "workload/train-" + i));
      cluster.cannotList();
      pass(3);
    }

    vanish(0, 3);
    pass(3);
    assertThat(cancelled()).as("a deletion of a kind that is listed").isEqualTo(3);
  }

  /**
   * Fails when rows of a kind that the cluster does not list count as shown: a server with no
   * adopted Job is recognized, or its missing Jobs are less than 5 percent.
   */
  @Test
  void unlistableKindConfirmsNoOtherServer() {
    map("team-b");
    create(0, 25);
    FrontJob row = stores.fronts().find(front, List.of(uid(0))).getFirst();
    stores
        .fronts()
        .insert(
            IntStream.range(1000, 1600)
                .mapToObj(i ->
                    new FrontJob(
                        front,
                        uid(i),
                        "team-a",
                        "workload/train-" + i,
                        row.tenant(),
                        row.project(),
                        null,
                        false,
                        row.takenAt()))
                .toList());
    cluster = new FrontCluster();
    cluster.cannotList("workload/");
    cluster.create(UID, "team-b", "of-the-other-server");
    pass(10);

    assertThat(doubted()).isEqualTo(25);
    assertThat(cancelled()).isZero();
    assertThat(taken()).isFalse();
  }

  /**
   * Fails when an operator must confirm a loss again after the kind was not listed for a moment.
   */
  @Test
  void confirmationSurvivesATimeWithoutAListOfItsKind() {
    IntStream.range(0, 30).forEach(i -> cluster.create(uid(i), "team-a", "workload/train-" + i));
    pass(3);
    vanish(0, 25);
    pass(3);
    confirm(25);
    cluster.cannotList("workload/");
    pass = newPass();
    pass(3);
    assertThat(cancelled()).isZero();

    cluster.cannotList();
    pass(5);

    assertThat(cancelled()).isEqualTo(25);
    assertThat(doubted()).isZero();
  }

  /** Fails when a Job of another front of the same installation is failed by this one. */
  @Test
  void jobMarkedAsSubmittedIsNotFailedWhileTheBreakerIsOpen() {
    map("team-b");
    cluster.create(uid(0), "team-b", "of-another-front");
    cluster.create(uid(31), "team-b", "of-this-front");
    create(1, 31);
    stores.fronts().remove(stores.fronts().find(front, List.of(uid(0))));
    vanish(1, 31);
    pass = newPass();
    pass(10);

    assertThat(doubted()).isEqualTo(30);
    assertThat(cluster.status(uid(0)).finished()).isFalse();
  }

  /** Fails when a new process, or one more pass, cancels without the word of an operator. */
  @Test
  void confirmedLossCancelsOnlyTheJobsThatTheOperatorSaw() {
    create(0, 60);
    vanish(0, 25);
    pass(10);
    assertThat(doubted()).isEqualTo(25);
    pass = newPass();
    pass(10);
    assertThat(cancelled()).isZero();

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> confirm(24))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.ILLEGAL_STATE))
        .withMessageContaining("25");
    vanish(25, 50);
    confirm(25);
    pass(10);

    assertThat(cancelled()).isEqualTo(25);
    assertThat(stores.fronts().taken(front, "", 100)).hasSize(35).startsWith(uid(25));
    assertThat(doubted()).as("those that vanished later").isEqualTo(25);
    assertThat(stores.auditEntries())
        .filteredOn(row -> row.operation().equals("confirmFrontLoss"))
        .singleElement()
        .satisfies(row -> assertThat(row.detail()).containsEntry("missing", 25));
  }

  /** Fails when a confirmation of an earlier loss remains valid after the Jobs returned. */
  @Test
  void aConfirmationEndsWhenTheJobsReturn() {
    create(0, 30);
    FrontCluster right = cluster;
    cluster = new FrontCluster();
    pass(5);
    stores.fronts().confirm(front);
    cluster = right;
    pass.run(lease, cluster);
    cluster = new FrontCluster();
    pass(5);

    assertThat(cancelled()).isZero();
    assertThat(doubted()).isEqualTo(30);
  }

  /** Fails when a Job beyond the limit of shown Jobs is not shown again later. */
  @Test
  void jobOmittedAfterATakeoverIsCancelledOnItsDeletion() {
    create(0, 1);
    cluster.leaveOut(uid(0));
    pass = newPass();
    pass(2);
    cluster.delete(uid(0));
    pass(5);

    assertThat(cancelled()).isEqualTo(1);
    assertThat(cluster.has(uid(0))).isFalse();
    assertThat(stores.fronts().taken(front, "", 1)).isEmpty();
  }

  /** Fails when deletes and statuses wait for all Jobs that are being taken up. */
  @Test
  void deletesPrecedeStatusesAndAdoptionsWhichAlternate() {
    create(0, 2);
    FrontJob moves = stores.fronts().find(front, List.of(uid(1))).getFirst();
    IntStream.range(2, 302).forEach(i -> cluster.create(uid(i), "team-a", "train-" + i));
    Actor owner = new Actor(moves.tenant(), jobs().getFirst().user(), Role.TENANT_MEMBER);
    FairleadSubmits.of(fairlead).cancel(owner, Objects.requireNonNull(moves.job()));
    cluster.delete(uid(0));
    cluster.writes().clear();

    pass.run(lease, cluster);

    List<String> writes = cluster.writes();
    List<String> holds = writes.stream().filter(one -> one.startsWith("hold")).toList();
    assertThat(writes.getFirst()).isEqualTo("release train-0");
    assertThat(holds).hasSize(300);
    assertThat(writes.indexOf("show train-1")).isLessThan(writes.indexOf(holds.getFirst()));
    assertThat(writes.indexOf("show train-2")).isLessThan(writes.indexOf(holds.get(150)));
  }
}
