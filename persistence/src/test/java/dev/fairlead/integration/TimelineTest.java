package dev.fairlead.integration;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Hang;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairOrder;
import dev.fairlead.care.healthtest.HealthTestOutcome;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.HealthTestRunId;
import dev.fairlead.care.timeline.TimelineEntry;
import dev.fairlead.care.timeline.TimelineStore;
import dev.fairlead.care.timeline.TimelineStore.Query;
import dev.fairlead.care.timeline.TimelineStore.Stay;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.progress.HangTransitions;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Events of a job, its nodes and its cluster on one axis. */
class TimelineTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final TimelineStore timeline = stores.bean(TimelineStore.class);
  private final HealthStore health = stores.health();
  private final Instant start = world.now().minus(Duration.ofHours(1));

  private Incident fault(Node node, Instant at) {
    Incident incident =
        new Incident(
            new IncidentId(stores.ids().next()),
            node.cluster(),
            node.id(),
            node.name(),
            "GPU-" + node.id().text(),
            null,
            79,
            "XID 79 (GPU has fallen off the bus)",
            FaultScope.NODE,
            RepairStep.RESET_GPU,
            at,
            at,
            1,
            "",
            null);
    Quarantine quarantine =
        Quarantine.begun(
                new QuarantineId(stores.ids().next()),
                node.cluster(),
                node.id(),
                incident.cause(),
                null,
                at,
                at.plus(Quarantine.UNHELD))
            .withIncident(incident.id());
    Quarantine released = quarantine.released(at.plusSeconds(3), "olga: exchanged");
    return stores
        .transactions()
        .call(() -> {
          health.write(incident.ended(at.plusSeconds(3)));
          health.write(quarantine);
          health.write(released);
          return incident;
        });
  }

  private void repaired(Incident incident) {
    Instant at = incident.openedAt();
    Repair repair =
        Repair.opened(new RepairId(stores.ids().next()), incident, at)
            .ordered(RepairOrder.FORCE, "olga", at.plusSeconds(1))
            .orElseThrow()
            .ordered(RepairOrder.SKIP, "olga", at.plusSeconds(2))
            .orElseThrow();
    stores.repairs().insert(repair.following());
  }

  private void tested(Node node, Instant at) {
    HealthTestRun run =
        new HealthTestRun(
            new HealthTestRunId(stores.ids().next()),
            "dcgm",
            node.cluster(),
            node.id(),
            node.name(),
            "olga",
            at,
            null,
            null,
            "",
            null,
            null);
    stores.healthTests().insert(run);
    stores.healthTests().update(run.ended(HealthTestOutcome.HUNG, "ran longer", at.plusSeconds(1)));
  }

  private List<TimelineEntry> of(Job job, TenantId tenant, boolean fleet) {
    List<Stay> stays = timeline.stays(tenant, job.id(), start, 100);
    return timeline.entries(new Query(tenant, job.id(), stays, fleet), start, null, 500);
  }

  private static Stream<String> types(List<TimelineEntry> entries) {
    return entries.stream().map(TimelineEntry::type);
  }

  @Test
  void jobAndNodeFaultShareOneTimeline() {
    Node node = world.node("node-1");
    Job job = world.submit(Specs.job("train").gpus(1));
    Attempt attempt = world.run(world.place(job, 0, node.name()));
    Instant at = attempt.createdAt().plusSeconds(5);
    repaired(fault(node, at));
    tested(node, at.plusSeconds(4));

    List<TimelineEntry> all = of(job, world.tenant().id(), true);

    assertThat(types(all)).contains("JobSubmitted", "AttemptRunning");
    assertThat(types(all).filter(t -> !t.startsWith("Job") && !t.matches("(Attempt|Member).*")))
        .containsExactly(
            "IncidentOpened",
            "NodeQuarantined",
            "RepairOpened",
            "RepairStepAsked",
            "RepairStepLeftOut",
            "IncidentEnded",
            "NodeReleased",
            "HealthTestStarted",
            "HealthTestEnded");
    assertThat(all).extracting(TimelineEntry::text).contains("dcgm: HUNG: ran longer");
    assertThat(all).extracting(e -> e.cursor().at()).isSorted();
    assertThat(all)
        .filteredOn(e -> e.type().equals("RepairStepLeftOut"))
        .singleElement()
        .satisfies(e -> {
          assertThat(e.actor()).isEqualTo("olga");
          assertThat(e.node()).isEqualTo(node.name());
          assertThat(e.text()).isEqualTo("RESET_GPU");
        });
  }

  /** Fails when a row of faults or repairs, or the words of operators, reach the owner of a job. */
  @Test
  void ownerSeesOnlyTheQuarantineOfItsNode() {
    Node node = world.node("node-1");
    Job job = world.submit(Specs.job("mine").gpus(1));
    Attempt attempt = world.run(world.place(job, 0, node.name()));
    repaired(fault(node, attempt.createdAt().plusSeconds(5)));
    tested(node, attempt.createdAt().plusSeconds(6));

    List<TimelineEntry> seen = of(job, world.tenant().id(), false);

    assertThat(types(seen).filter(t -> !t.startsWith("Job") && !t.matches("(Attempt|Member).*")))
        .containsExactly("NodeQuarantined", "NodeReleased");
    assertThat(seen)
        .filteredOn(e -> e.type().startsWith("Node"))
        .allSatisfy(e -> assertThat(e.text()).isEmpty());
  }

  /** Fails when rows of a job are read without the tenant. */
  @Test
  void anotherTenantSeesNothing() {
    Job job = world.submit(Specs.job("theirs").gpus(1));
    world.run(world.place(job));

    assertThat(of(job, new TenantId(stores.ids().next()), true)).isEmpty();
  }

  /** Fails when events of a node from before the job, or long after it, are shown. */
  @Test
  void eventsDuringAnotherStayAreNotOnTheTimelineOfTheJob() {
    Node node = world.node("node-1");
    Job job = world.submit(Specs.job("late").gpus(1));
    Attempt attempt = world.run(world.place(job, 0, node.name()));
    fault(node, attempt.createdAt().minusSeconds(600));
    world.succeed(attempt);
    Instant ended = world.attempt(attempt).endedAt();
    fault(node, ended.plus(Duration.ofMinutes(11)));

    assertThat(types(of(job, world.tenant().id(), true))).doesNotContain("IncidentOpened");
  }

  /** Fails when a hang of a gang is shown once for each node, or to the owners of other jobs. */
  @Test
  void hangOfAGangIsReportedOnce() {
    Job job = world.submit(Specs.job("gang").workers(2).gpus(8));
    Attempt attempt = world.run(world.place(job));
    Instant at = world.now();
    Hang hang =
        HangTransitions.incident(
            new IncidentId(stores.ids().next()),
            attempt,
            Duration.ofMinutes(10),
            at.minusSeconds(600),
            at);
    health.write(hang);

    assertThat(of(job, world.tenant().id(), true))
        .filteredOn(e -> e.type().equals("AttemptHung"))
        .singleElement()
        .satisfies(e -> {
          assertThat(e.text()).satisfies(reason("timeline.hang-progress-nodes", "10m", 2));
          assertThat(e.job()).isEqualTo(job.id());
          assertThat(e.node()).isNull();
        });
    assertThat(types(of(job, world.tenant().id(), false))).doesNotContain("AttemptHung");
    Query ofCluster =
        new Query(world.tenant().id(), null, timeline.stays(attempt.cluster(), start, 100), true);
    assertThat(types(timeline.entries(ofCluster, start, null, 500))).contains("AttemptHung");
  }

  /**
   * Fails when the node between two attempts of a job, or just after an ended attempt, is omitted.
   */
  @Test
  void nodeEventsAppearOnlyDuringEachStayOfTheJob() {
    Node node = world.node("node-1");
    Job job = world.submit(Specs.job("again").gpus(1).retry(3, FailureCause.NODE_FAILURE));
    Attempt first = world.run(world.place(job, 0, node.name()));
    world.fail(first, FailureCause.NODE_FAILURE);
    Attempt second = world.run(world.place(world.job(job), 0, node.name()));
    stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql(
                    "UPDATE attempt SET created_at = created_at - interval '50 minutes',"
                        + " ended_at = ended_at - interval '40 minutes' WHERE id = ?")
                .param(first.id().value())
                .update());
    Instant ended = world.attempt(first).endedAt();
    fault(node, ended.plus(Duration.ofMinutes(5)));
    fault(node, ended.plus(Duration.ofMinutes(20)));
    fault(node, second.createdAt().plusSeconds(5));

    assertThat(of(job, world.tenant().id(), true))
        .filteredOn(e -> e.type().equals("IncidentOpened"))
        .extracting(e -> e.cursor().at())
        .containsExactly(ended.plus(Duration.ofMinutes(5)), second.createdAt().plusSeconds(5));
    assertThat(timeline.stays(world.tenant().id(), job.id(), ended.plusSeconds(60), 100))
        .as("reports of its end still come")
        .hasSize(4);
  }

  /**
   * Fails when an entry is read twice or omitted at the end of a page between rows with equal
   * times.
   */
  @Test
  void pagesAddUpToTheWholeTimeline() {
    Node node = world.node("node-1");
    Instant at = world.now();
    repaired(fault(node, at));
    repaired(fault(world.node("node-2"), at));
    List<Stay> stays = timeline.stays(node.cluster(), start, 100);
    Query query = new Query(world.tenant().id(), null, stays, true);
    List<TimelineEntry> whole = timeline.entries(query, start, null, 500);
    assertThat(whole).hasSize(14);

    List<TimelineEntry> paged = new ArrayList<>();
    TimelineEntry.Cursor after = null;
    for (List<TimelineEntry> page = whole; !page.isEmpty(); ) {
      page = timeline.entries(query, start, after, 3);
      paged.addAll(page);
      after = page.isEmpty() ? after : page.getLast().cursor();
    }

    assertThat(paged).isEqualTo(whole);
  }

  /** Fails when the history of a node is deleted with the node. */
  @Test
  void retiredNodeRetainsItsTimeline() {
    Node node = world.node("node-1");
    fault(node, world.now());
    world.report(NodeReports.node(world.uniqueName("other")).build());
    stores.bean(RetentionStore.class).clear(RetentionStore.Kind.NODES, Ages.DEFAULT, 10_000);
    assertThat(stores.inventory().node(node.id()).orElseThrow().state())
        .isEqualTo(NodeState.RETIRED);

    List<Stay> byId = timeline.stays(node.id().text(), start, 5);

    assertThat(byId).extracting(Stay::node).containsExactly(node.id());
    assertThat(timeline.stays(node.name(), start, 10_000))
        .contains(byId.getFirst())
        .doesNotHaveDuplicates();
    assertThat(timeline.stays("no-such-node", start, 5)).isEmpty();
    Query query = new Query(world.tenant().id(), null, byId, true);
    assertThat(types(timeline.entries(query, start, null, 500)))
        .containsExactly("IncidentOpened", "NodeQuarantined", "IncidentEnded", "NodeReleased");
  }
}
