package dev.fairlead.care.reservation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link AdvanceReservationStore}, and the effect of advance reservations on jobs
 * that need their nodes.
 */
public abstract class AdvanceReservationStoreContract {
  private static final Duration HOUR = Duration.ofHours(1);

  private Stores stores;
  private TestWorld world;
  private Instant now;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    now = stores.advanceReservations().now().truncatedTo(ChronoUnit.SECONDS);
  }

  private static AdvanceReservationOwner owner(Project project) {
    return new AdvanceReservationOwner(project.tenant(), project.id(), project.name());
  }

  private AdvanceReservation advanceReservation(
      String name,
      @Nullable AdvanceReservationOwner owner,
      long fromHour,
      long untilHour,
      String... nodes) {
    List<BookedNode> its = new ArrayList<>();
    for (String each : nodes) {
      Node node = world.node(each);
      its.add(new BookedNode(node.id(), node.cluster(), node.name()));
    }
    return new AdvanceReservation(
        new AdvanceReservationId(stores.ids().next()),
        world.uniqueName(name),
        owner,
        now.plus(HOUR.multipliedBy(fromHour)),
        now.plus(HOUR.multipliedBy(untilHour)),
        LeftoverPolicy.FINISH,
        "for a demo",
        its,
        "root",
        now);
  }

  private AdvanceReservation kept(AdvanceReservation advanceReservation) {
    stores.advanceReservations().insert(advanceReservation);
    return advanceReservation;
  }

  private Project second() {
    Project project = world.newProject(world.uniqueName("second"));
    stores.tenants().insert(project);
    return project;
  }

  @Test
  void advanceReservationsRoundTripInOrder() {
    AdvanceReservation later = kept(advanceReservation("later", null, 5, 6, "node-1", "node-2"));
    AdvanceReservation sooner =
        kept(advanceReservation("sooner", owner(world.project()), 2, 3, "node-1"));

    assertThat(stores.advanceReservations().advanceReservation(later.id())).contains(later);
    assertThat(stores.advanceReservations().open()).containsSubsequence(sooner, later);
    assertThat(stores.world().read().advanceReservations()).containsSubsequence(sooner, later);

    assertThat(stores.advanceReservations().remove(later.id())).isTrue();
    assertThat(stores.advanceReservations().remove(later.id())).isFalse();
    assertThat(stores.advanceReservations().open()).contains(sooner).doesNotContain(later);
  }

  @Test
  void endedReservationIsClosedAndEventuallyForgotten() {
    AdvanceReservation ended =
        kept(advanceReservation("ended", owner(world.project()), -3, -2, "node-1"));

    assertThat(stores.advanceReservations().open()).doesNotContain(ended);
    assertThat(stores.advanceReservations().open(world.tenant().id(), null)).isEmpty();
    stores.advanceReservations().forget(ended.end());
    assertThat(stores.advanceReservations().advanceReservation(ended.id())).contains(ended);
    stores.advanceReservations().forget(ended.end().plusSeconds(1));
    assertThat(stores.advanceReservations().advanceReservation(ended.id())).isEmpty();
  }

  /**
   * Fails when a node is in two advance reservations at one time. The end of one may be the start
   * of another.
   */
  @Test
  void nodeCannotBeReservedTwiceForTheSameTime() {
    kept(advanceReservation("first", null, 2, 4, "node-1"));

    AdvanceReservation during = advanceReservation("during", null, 3, 5, "node-2", "node-1");
    Refused.by(Guard.BOOKED, () -> stores.advanceReservations().insert(during));
    AdvanceReservation around =
        advanceReservation("around", owner(world.project()), 1, 9, "node-1");
    Refused.by(Guard.BOOKED, () -> stores.advanceReservations().insert(around));
    assertThat(stores.advanceReservations().advanceReservation(during.id())).isEmpty();

    kept(advanceReservation("before", null, 1, 2, "node-1"));
    kept(advanceReservation("after", null, 4, 5, "node-1"));
    kept(advanceReservation("beside", null, 1, 9, "node-2"));
  }

  /** Fails when the query does not filter by tenant or project. */
  @Test
  void tenantSeesOnlyAdvanceReservationsForItsProjects() {
    Project second = second();
    AdvanceReservation own =
        kept(advanceReservation("own", owner(world.project()), 1, 2, "node-1"));
    AdvanceReservation sibling = kept(advanceReservation("sibling", owner(second), 2, 3, "node-1"));
    AdvanceReservation maintenance = kept(advanceReservation("maintenance", null, 3, 4, "node-1"));
    TestWorld other = TestWorld.in(stores);

    assertThat(stores.advanceReservations().open(world.tenant().id(), null))
        .containsExactly(own, sibling);
    assertThat(stores.advanceReservations().open(world.tenant().id(), List.of(second.id())))
        .containsExactly(sibling);
    assertThat(stores.advanceReservations().open(world.tenant().id(), List.of())).isEmpty();
    assertThat(stores.advanceReservations().open(other.tenant().id(), null)).isEmpty();
    assertThat(stores.advanceReservations().open()).contains(own, sibling, maintenance);
  }

  /** Fails when a plan from before the advance reservation is written after it. */
  @Test
  void bookedNodeIgnoresPodsPresentAtTheStart() {
    kept(advanceReservation("soon", null, 2, 4, "node-1"));
    Job brief = world.submit(Specs.job("brief").gpus(1).maxRuntime(HOUR));
    Job longer = world.submit(Specs.job("longer").gpus(1).maxRuntime(HOUR.multipliedBy(3)));
    Job endless = world.submit(Specs.job("endless").gpus(1));

    assertThat(world.place(brief, 0, "node-1").live()).isTrue();
    Refused.by(Guard.BOOKED, () -> world.place(longer, 0, "node-1"));
    Refused.by(Guard.BOOKED, () -> world.place(endless, 0, "node-1"));
    assertThat(stores.jobs().liveAttempts(longer.id())).isEmpty();
    assertThat(world.place(longer, 0, "node-2").live()).isTrue();
  }

  /** Fails when a joining member is not checked against the advance reservations of its node. */
  @Test
  void noOtherMemberJoinsOnABookedNode() {
    Job job = world.submit(Specs.job("grows").workers(4).minWorkers(1).gpus(1));
    Attempt planned = world.attempt(job, 0, world.members(job, 0, "node-2"));
    world.append(world.admission(planned));
    Attempt attempt = world.run(planned);
    kept(advanceReservation("now", null, 0, 4, "node-1"));

    Refused.by(Guard.BOOKED, () -> world.grow(attempt, "node-1"));
  }

  /** Fails when the project of the advance reservation is ignored. */
  @Test
  void projectOfAnAdvanceReservationUsesItsNodesDuringIt() {
    kept(advanceReservation("ours", owner(world.project()), 0, 4, "node-1"));
    Project second = second();
    Job foreign =
        world.submit(world.newJob(Specs.job("foreign").gpus(1).build(), second, world.queue()));

    Refused.by(Guard.BOOKED, () -> world.place(foreign, 0, "node-1"));
    assertThat(world.place(world.submit(Specs.job("own").gpus(1)), 0, "node-1").live()).isTrue();
  }
}
