package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.reservation.AdvanceReservationPurpose;
import dev.fairlead.care.reservation.service.AdvanceReservationCommands;
import dev.fairlead.care.reservation.service.AdvanceReservationOrder;
import dev.fairlead.care.reservation.service.AdvanceReservationView;
import dev.fairlead.care.reservation.service.AdvanceReservationView.AdvanceReservationState;
import dev.fairlead.care.reservation.service.AdvanceReservations;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.text.Texts;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Nodes are booked, used until the start, vacated by others, used by the project, and free again.
 */
class AdvanceReservationJourneyTest {
  private static final Duration SHORTLY = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final MemoryStores stores = fairlead.stores();
  private final AdvanceReservations advanceReservations =
      new AdvanceReservations(
          stores.transactions(),
          stores.advanceReservations(),
          stores.inventory(),
          stores.tenants());
  private final AdvanceReservationCommands commands =
      new AdvanceReservationCommands(
          stores.transactions(),
          stores.advanceReservations(),
          advanceReservations,
          stores.inventory(),
          stores.tenants(),
          new Idempotency(stores.idempotency()),
          stores.audit(),
          stores.ids());
  private Actor root;
  private Project own;
  private Instant now;

  @BeforeEach
  void aCluster() {
    fairlead.register("eu", new FleetPool(2, 8, "H100", 1, 1));
    root = new Actor(fairlead.ana().tenant(), "root", Role.ADMIN);
    ProjectId id = new ProjectId(stores.ids().next());
    own = stores.tenants().projects(root.tenant()).getFirst();
    stores
        .tenants()
        .insert(
            new Project(
                id,
                root.tenant(),
                "vision",
                "fairlead-" + id.bare(),
                own.defaultQueue(),
                Egress.OPEN,
                null,
                null,
                1));
    fairlead.pass(SHORTLY); // its nodes are reported
    now = stores.clock().instant();
  }

  /** Two nodes with H100s of the cluster. */
  private record Order(
      String name,
      AdvanceReservationPurpose purpose,
      @Nullable String project,
      @Nullable Instant start,
      Duration duration,
      LeftoverPolicy leftoverPolicy)
      implements AdvanceReservationOrder {
    @Override
    public @Nullable String tenant() {
      return null;
    }

    @Override
    public @Nullable Instant end() {
      return null;
    }

    @Override
    public @Nullable List<String> nodes() {
      return null;
    }

    @Override
    public String cluster() {
      return "eu";
    }

    @Override
    public @Nullable String pool() {
      return null;
    }

    @Override
    public String model() {
      return "H100";
    }

    @Override
    public Integer count() {
      return 2;
    }

    @Override
    public @Nullable String reason() {
      return null;
    }
  }

  private AdvanceReservationView booked(
      String name,
      @Nullable String project,
      Duration in,
      Duration length,
      LeftoverPolicy leftoverPolicy) {
    Order order =
        new Order(
            name,
            project == null
                ? AdvanceReservationPurpose.MAINTENANCE
                : AdvanceReservationPurpose.PROJECT,
            project,
            in.isZero() ? null : stores.clock().instant().plus(in),
            length,
            leftoverPolicy);
    return commands.create(root, order, null, false);
  }

  private Job submitted(String name, PriorityClass priority, @Nullable Duration most) {
    Specs specs =
        Specs.job(name)
            .workers(2)
            .gpus(8)
            .priority(priority)
            .annotation("sim.fairlead.dev/run-for", "300h");
    return fairlead.submit(most == null ? specs : specs.maxRuntime(most));
  }

  private void stepTo(Instant time) {
    fairlead.stepClock(Duration.between(stores.clock().instant(), time));
  }

  /**
   * A foreign job runs, and must stop at the start. Fails when the supervisor ignores advance
   * reservations, when the scheduler starts jobs that run too long, or when the project does not
   * get its nodes.
   */
  @Test
  void nodesAreUsedByAllUntilTheStartAndThenOnlyByTheProject() {
    Job before = fairlead.until(submitted("before", PriorityClass.NORMAL, null), JobState.RUNNING);
    AdvanceReservationView made = booked("demo", own.name(), HOUR, HOUR, LeftoverPolicy.EVICT);
    assertThat(made.state()).isEqualTo(AdvanceReservationState.UPCOMING);
    assertThat(made.nodes()).hasSize(2);

    stepTo(now.plus(HOUR).minus(SHORTLY));
    fairlead.pass(SHORTLY.minusSeconds(5));
    assertThat(fairlead.state(before)).isEqualTo(JobState.RUNNING);
    fairlead.pass(SHORTLY);
    assertThat(fairlead.state(before))
        .as("of the advance reservation's project")
        .isEqualTo(JobState.RUNNING);
    assertThat(advanceReservations.one(root, "demo").state())
        .isEqualTo(AdvanceReservationState.CURRENT);
  }

  /**
   * Fails when preemptible jobs continue at the start of an evicting advance reservation, or spend
   * a retry.
   */
  @Test
  void preemptibleJobLeavesAtTheStartAndReturnsAtTheEnd() {
    Job foreign =
        fairlead.until(submitted("foreign", PriorityClass.NORMAL, null), JobState.RUNNING);
    AdvanceReservationView _ = booked("works", "vision", HOUR, HOUR, LeftoverPolicy.EVICT);

    stepTo(now.plus(HOUR).minus(SHORTLY));
    fairlead.pass(SHORTLY.minusSeconds(5));
    assertThat(fairlead.state(foreign)).isEqualTo(JobState.RUNNING);
    fairlead.pass(SHORTLY);
    assertThat(fairlead.state(foreign)).isEqualTo(JobState.QUEUED);
    Attempt first = fairlead.attempts(foreign).getFirst();
    assertThat(first.state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(first.failure().message())
        .satisfies(Texts.reason("advance-reservation-journey.node-booked"));
    assertThat(fairlead.job(foreign).run().failures()).isZero();

    stepTo(now.plus(HOUR.multipliedBy(2)).plusSeconds(1));
    fairlead.pass(SHORTLY);
    assertThat(fairlead.state(foreign)).isEqualTo(JobState.RUNNING);
  }

  /** Fails when an advance reservation with FINISH stops jobs. */
  @Test
  void jobAllowedToFinishRunsIntoTheReservationAndNoneFollowsIt() {
    Job foreign =
        fairlead.until(submitted("foreign", PriorityClass.NORMAL, null), JobState.RUNNING);
    AdvanceReservationView _ = booked("works", null, HOUR, HOUR, LeftoverPolicy.FINISH);

    stepTo(now.plus(HOUR).plus(SHORTLY));
    fairlead.pass(SHORTLY);
    assertThat(fairlead.state(foreign)).isEqualTo(JobState.RUNNING);

    Job _ = fairlead.commands().cancel(fairlead.ana(), foreign.id());
    fairlead.until(foreign, JobState.CANCELLED);
    Job next = submitted("next", PriorityClass.NORMAL, Duration.ofMinutes(1));
    fairlead.pass(SHORTLY);
    assertThat(fairlead.state(next)).isEqualTo(JobState.QUEUED);
    commands.cancel(root, "works", false);
    fairlead.until(next, JobState.RUNNING);
  }

  /** Fails when backfill leaves booked nodes idle before the start. */
  @Test
  void jobThatEndsInTimeUsesTheNodesBeforeTheStart() {
    AdvanceReservationView _ = booked("works", null, HOUR, HOUR, LeftoverPolicy.FINISH);
    Job longer = submitted("longer", PriorityClass.NORMAL, HOUR.multipliedBy(2));
    Job brief = submitted("brief", PriorityClass.NORMAL, HOUR.minus(SHORTLY.multipliedBy(5)));

    fairlead.until(brief, JobState.RUNNING);
    fairlead.pass(SHORTLY);
    assertThat(fairlead.state(longer)).isEqualTo(JobState.QUEUED);
    assertThat(stores.explanations().of(longer.id()).orElseThrow().explanation().blockers())
        .extracting(Blocker::reason)
        .contains(Reason.BOOKED);
  }

  @Test
  void aLostNodeIsShown() {
    AdvanceReservationView _ = booked("works", null, HOUR, HOUR, LeftoverPolicy.FINISH);
    NodeId lost = stores.advanceReservations().open().getFirst().nodes().getFirst().id();
    stores.moveNode(lost, NodeState.QUARANTINED);

    assertThat(advanceReservations.one(root, "works").nodesMissing()).isEqualTo(1);
    assertThat(advanceReservations.all(root))
        .extracting(AdvanceReservationView::nodesMissing)
        .isEqualTo(List.of(1));
  }
}
