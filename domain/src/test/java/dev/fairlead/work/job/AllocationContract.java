package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.GpuHolder;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Allocations and releases of {@link JobStore#append} with an attempt: quota, capacity of nodes,
 * GPUs.
 */
public abstract class AllocationContract {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private static final QuotaCell GPUS = new QuotaCell(H100, ResourceNames.GPU);

  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void anAdmittedAttemptHoldsQuotaRoomAndGpus() {
    world.place(world.submit(Specs.job("gang").workers(2).gpus(4).cpuMilli(3000).memoryMiB(1024)));

    assertThat(used(GPUS)).isEqualTo(8000);
    assertThat(used(new QuotaCell(H100, ResourceNames.CPU))).isEqualTo(6000);
    assertThat(used(new QuotaCell(H100, ResourceNames.MEMORY))).isEqualTo(2048);
    Node node = world.node("node-1");
    assertThat(node.allocated()).isEqualTo(ResourceVector.of(3000, 1024, 4000, 1));
    assertThat(node.gpus())
        .extracting(Gpu::allocatedMilli)
        .containsExactly(1000, 1000, 1000, 1000, 0, 0, 0, 0);
  }

  @Test
  void gpuHoldersAreListedOnlyForTheOwnTenant() {
    Job job = world.submit(Specs.job("gang").workers(2).gpus(2));
    Attempt attempt = world.place(job);
    NodeId node = world.node("node-1").id();
    TestWorld other = TestWorld.in(stores);

    assertThat(stores.jobs().holders(world.tenant().id(), null, List.of(node)))
        .containsExactly(
            new GpuHolder(node, 0, 1000, job.id(), "gang", attempt.id(), "worker-0"),
            new GpuHolder(node, 1, 1000, job.id(), "gang", attempt.id(), "worker-0"));
    assertThat(stores.jobs().holders(other.tenant().id(), null, List.of(node))).isEmpty();
    assertThat(stores.jobs().holders(world.tenant().id(), null, List.of())).isEmpty();
    assertThat(
            stores
                .jobs()
                .holders(world.tenant().id(), List.of(world.project().id()), List.of(node)))
        .hasSize(2);
    assertThat(
            stores
                .jobs()
                .holders(world.tenant().id(), List.of(other.project().id()), List.of(node)))
        .isEmpty();
  }

  @Test
  void endedAttemptReleasesAllResources() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("gang").workers(2).gpus(4))));

    world.succeed(attempt);

    assertNothingIsHeld();
  }

  @Test
  void releasedQuotaIsNotReleasedAgain() {
    // Fails when the release does not check that the stored attempt is still live: version and
    // holding are correct here.
    Job job = world.submit(Specs.job("once").gpus(4));
    Attempt ended = world.succeed(world.run(world.place(job)));
    Job now = world.job(job);
    Transition again =
        new Transition(
            now.next(now.run(), null),
            List.of(),
            ended,
            Transition.AllocationChange.RELEASE,
            List.of(),
            TestWorld.ACTOR);

    Refused.by(Guard.VERSION, job.id().text(), () -> world.append(again));
    assertNothingIsHeld();
  }

  @Test
  void repeatedEndIsRejected() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("twice").gpus(1))));
    Failure none = Failure.of(FailureCause.PLATFORM, "none", 1);
    Transition end = world.move(attempt, new AttemptEvent.Ended(AttemptState.SUCCEEDED, none));
    world.append(end);

    Refused.by(Guard.VERSION, () -> world.append(end));
    assertNothingIsHeld();
  }

  @Test
  void endedAttemptKeepsItsState() {
    // Fails when the attempt's UPDATE changes terminal rows.
    Job job = world.submit(Specs.job("once"));
    Attempt running = world.run(world.place(job));
    world.fail(running, FailureCause.USER_ERROR);
    Job now = world.job(job);
    Transition late =
        new Transition(
            now.next(now.run(), null),
            List.of(),
            running,
            Transition.AllocationChange.KEEP,
            List.of(),
            TestWorld.ACTOR);

    Refused.by(Guard.VERSION, job.id().text(), () -> world.append(late));
    assertThat(world.attempt(running).state()).isEqualTo(AttemptState.FAILED);
  }

  @Test
  void jobHasOneLiveAttemptAtATime() {
    // Fails when a second live attempt of a job and element is stored.
    Job job = world.submit(Specs.job("one"));
    world.place(job);
    Attempt second = world.attempt(world.job(job), 0, members(Specs.job("one")));
    Job now = world.job(job);
    Transition forged =
        new Transition(
            now.next(now.run(), null),
            List.of(),
            second,
            Transition.AllocationChange.TAKE,
            List.of(),
            TestWorld.ACTOR);

    Refused.by(Guard.LIVE_ATTEMPT, job.id().text(), () -> world.append(forged));
    assertThat(stores.jobs().liveAttempts(job.id())).hasSize(1);
  }

  @Test
  void eachElementOfAnArrayMayHaveAnAttempt() {
    Job job = world.submit(Specs.job("array").array("0-3").gpus(1));
    world.place(job, 0, "node-1");
    world.place(job, 1, "node-1");

    assertThat(stores.jobs().liveAttempts(job.id()))
        .extracting(Attempt::element)
        .containsExactly(0, 1);
    assertThat(used(GPUS)).isEqualTo(2000);
  }

  @Test
  void unknownAttemptKeepsItsAllocation() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("dark").gpus(2))));

    world.apply(attempt, new AttemptEvent.Unreachable());

    assertThat(used(GPUS)).isEqualTo(2000);
  }

  @Test
  void quotaAdmitsExactlyTheRemainder() {
    // Fails when the counters are read without being locked, or not at all.
    limitGpus(12_000);
    world.place(world.submit(Specs.job("first").gpus(8)), 0, "node-1");
    Job second = world.submit(Specs.job("second").gpus(8));
    Job third = world.submit(Specs.job("third").gpus(4));

    Refused.by(Guard.QUOTA, second.id().text(), () -> world.place(second, 0, "node-2"));
    world.place(third, 0, "node-2");

    assertThat(used(GPUS)).isEqualTo(12_000);
    assertThat(world.job(second).state()).isEqualTo(JobState.QUEUED);
    assertThat(world.node("node-2").allocated().gpuMilli()).isEqualTo(4000);
  }

  /**
   * Fails when a start is stored without the checks of its queue, or with the checks of another
   * start.
   */
  @Test
  void aStartNeedsEveryCheckOfItsQueueForThisAttempt() {
    world.checks("budget", "review");
    Job never = world.submit(Specs.job("never").gpus(1));
    Job refused = world.checked(world.submit(Specs.job("refused").gpus(1)), JobCheck.State.RETRY);
    Job ready = world.checked(world.submit(Specs.job("ready").gpus(1)), JobCheck.State.READY);

    Refused.by(Guard.CHECK, never.id().text(), () -> world.place(never));
    Refused.by(Guard.CHECK, refused.id().text(), () -> world.place(refused));
    assertThat(ready.checks()).extracting(JobCheck::name).containsExactly("budget", "review");
    Attempt first = world.place(ready);
    world.fail(world.run(first), FailureCause.NODE_FAILURE);

    assertThat(world.job(ready).state()).isEqualTo(JobState.QUEUED);
    Refused.by(Guard.CHECK, () -> world.place(ready));
    world.place(world.checked(ready, JobCheck.State.READY));
  }

  /** Fails when a check that judged the old spec permits the new one. */
  @Test
  void patchDiscardsCheckResults() {
    world.checks("budget");
    Specs specs = Specs.job("patched").gpus(1);
    Job ready = world.checked(world.submit(specs), JobCheck.State.READY);

    world.append(
        OwnerTransitions.patch(
            ready, specs.maxRuntime(Duration.ofHours(1)).build(), List.of("maxRuntime"), "ana"));

    assertThat(world.job(ready).checks()).isEmpty();
    Refused.by(Guard.CHECK, () -> world.place(ready));
  }

  /**
   * Fails when limits at the time of the plan are used instead of limits at the database's time.
   */
  @Test
  void windowQuotaIsAvailableWhileTheDatabaseClockIsInTheWindow() {
    Instant now = stores.quotas().now();
    int other = (now.atZone(ZoneOffset.UTC).getMonthValue() + 5) % 12 + 1;
    String closed = "0 0 1 %d *".formatted(other);
    limitGpus(4_000, new LimitWindow(hour(closed), 8_000L, null));
    Job job = world.submit(Specs.job("night").gpus(8));

    Refused.by(Guard.QUOTA, job.id().text(), () -> world.place(job, 0, "node-1"));
    limitGpus(4_000, new LimitWindow(hour("0 * * * *"), 8_000L, null));
    world.place(job, 0, "node-1");

    assertThat(used(GPUS)).isEqualTo(8_000);
  }

  private static RecurringWindow hour(String cron) {
    return RecurringWindow.of(Cron.parse(cron), Duration.ofHours(1), RecurringWindow.zone("UTC"));
  }

  /** Fails when non-preemptible use is compared only with the available quota. */
  @Test
  void nonPreemptibleJobGetsNominalQuotaOnly() {
    world.limit(world.root(), limit(ResourceNames.GPU, 16_000L));
    world.limit(
        world.queue(),
        new QuotaLimit(H100, ResourceNames.GPU, 4000L, null, null),
        limit(ResourceNames.CPU, null),
        limit(ResourceNames.MEMORY, null));
    Job wide = world.submit(Specs.job("wide").gpus(5).priority(PriorityClass.HIGH));
    Job one = world.submit(Specs.job("one").gpus(1).priority(PriorityClass.HIGH));

    Refused.by(Guard.QUOTA, wide.id().text(), () -> world.place(wide, 0, "node-1"));
    world.place(world.submit(Specs.job("borrows").gpus(5)), 0, "node-1");
    Attempt within =
        world.place(
            world.submit(Specs.job("within").gpus(4).priority(PriorityClass.HIGH)), 0, "node-2");
    Refused.by(Guard.QUOTA, one.id().text(), () -> world.place(one, 0, "node-2"));
    assertThat(nonPreemptible()).isEqualTo(4000);
    world.succeed(world.run(within));

    assertThat(nonPreemptible()).isZero();
    world.place(one, 0, "node-2");
  }

  private long nonPreemptible() {
    return stores.quotas().uses(world.tenant().id()).stream()
        .filter(use -> use.cell().equals(GPUS))
        .mapToLong(QuotaUse::nonPreemptible)
        .sum();
  }

  @Test
  void twoJobsThatFitOnlySeparatelyDoNotFitInOneBatch() {
    limitGpus(8000);
    Attempt first = attempt(world.submit(Specs.job("first").gpus(8)), "node-1");
    Attempt second = attempt(world.submit(Specs.job("second").gpus(8)), "node-2");

    Refused.by(Guard.QUOTA, () -> world.append(world.admission(first), world.admission(second)));
    assertThat(used(GPUS)).isZero();
  }

  @Test
  void flavorWithoutALimitInALimitedQueueHasNoQuota() {
    // Fails when a missing entry counts as no limit.
    world.limit(world.queue(), limit(ResourceNames.GPU, 8000L));
    Job job = world.submit(Specs.job("cpu"));

    Refused.by(Guard.QUOTA, () -> world.place(job));
  }

  @Test
  void nodeAllocatesExactlyItsCapacity() {
    // Fails when the node's UPDATE does not compare with the remaining capacity.
    world.place(world.submit(Specs.job("big").cpuMilli(60_000)), 0, "node-1");
    Job small = world.submit(Specs.job("small").cpuMilli(4001));

    Refused.by(Guard.NODE_ROOM, small.id().text(), () -> world.place(small, 0, "node-1"));
    assertThat(world.node("node-1").allocated().cpuMilli()).isEqualTo(60_000);
    assertThat(stores.quotas().uses(world.tenant().id()).stream().mapToLong(QuotaUse::used).max())
        .hasValue(60_000);
  }

  @Test
  void membersOfOneGangShareTheRoomOfTheirNode() {
    Job gang = world.submit(Specs.job("gang").workers(2).cpuMilli(33_000));

    Refused.by(Guard.NODE_ROOM, () -> world.place(gang, 0, "node-1"));
    world.place(gang, 0, "node-1", "node-2");
  }

  @Test
  void useByForeignPodsIsNotAllocatable() {
    world.report(
        NodeReports.node("node-1").foreign(ResourceVector.of(60_000, 0, 0, 3)).build(),
        NodeReports.node("node-2").build());
    Job job = world.submit(Specs.job("job").cpuMilli(5000));

    Refused.by(Guard.NODE_ROOM, () -> world.place(job, 0, "node-1"));
  }

  @Test
  void inactiveNodeAllocatesNothing() {
    Attempt planned = attempt(world.submit(Specs.job("late")), "node-1");
    world.report(NodeReports.node("node-1").cordoned().build(), NodeReports.node("node-2").build());

    Refused.by(Guard.NODE_ROOM, () -> world.append(world.admission(planned)));
    assertThat(world.node("node-1").state()).isEqualTo(NodeState.CORDONED);
  }

  @Test
  void aGpuIsHeldByOneAtATime() {
    // Fails when the GPU's row is not compared with its remainder.
    Attempt first = attempt(world.submit(Specs.job("first").gpus(1)), "node-1");
    Attempt second = attempt(world.submit(Specs.job("second").gpus(1)), "node-1");
    assertThat(first.members().getFirst().gpus()).isEqualTo(second.members().getFirst().gpus());
    world.append(world.admission(first));

    Refused.by(Guard.GPU_SLOT, () -> world.append(world.admission(second)));
    assertThat(used(GPUS)).isEqualTo(1000);
  }

  @Test
  void fractionsFillExactlyOneGpu() {
    for (int i = 0; i < 4; i++) {
      world.append(world.admission(share("quarter-" + i, 0, 250)));
    }
    Attempt fifth = share("fifth", 0, 250);

    Refused.by(Guard.GPU_SLOT, () -> world.append(world.admission(fifth)));
    assertThat(world.node("node-1").gpus().getFirst().allocatedMilli()).isEqualTo(1000);
  }

  /** Fails when slices are allocated only by their thousandths. */
  @Test
  void slicesOfAGpuDoNotOverlap() {
    world.append(world.admission(slices("first", 0, 500, 0x0F)));
    Attempt overlapping = slices("overlapping", 0, 125, 0x08);

    Refused.by(Guard.GPU_SLOT, () -> world.append(world.admission(overlapping)));
    world.append(world.admission(slices("beside", 0, 125, 0x10)));
    assertThat(world.node("node-1").gpus().getFirst().slices()).isEqualTo(0x1F);
  }

  /** Fails when a sliced device gives fractions, or a shared one is sliced. */
  @Test
  void gpuAllocatesSlicesOrFractionsAndNeverBoth() {
    world.append(world.admission(slices("slice", 0, 125, 0x40)));
    world.append(world.admission(share("fraction", 1, 100)));
    Attempt fraction = share("fraction-of-a-cut-one", 0, 100);
    Attempt slice = slices("slice-of-a-shared-one", 1, 125, 0x40);

    Refused.by(Guard.GPU_SLOT, () -> world.append(world.admission(fraction)));
    Refused.by(Guard.GPU_SLOT, () -> world.append(world.admission(slice)));
  }

  @Test
  void failedOrUnknownDeviceIsNotAllocated() {
    Attempt onFailed = share("failed", 3, 1000);
    Attempt onMissing = share("missing", 99, 1000);
    world.report(
        NodeReports.node("node-1").gpu(3, GpuState.FAILED).build(),
        NodeReports.node("node-2").build());

    Refused.by(Guard.GPU_SLOT, () -> world.append(world.admission(onFailed)));
    Refused.by(Guard.GPU_SLOT, () -> world.append(world.admission(onMissing)));
  }

  @Test
  void capacityLostByANodeIsStillReleasedOnce() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("lost").gpus(8)), 0, "node-1"));
    world.report(NodeReports.node("node-2").build());

    world.fail(attempt, FailureCause.USER_ERROR);
    world.report(NodeReports.node("node-1").build(), NodeReports.node("node-2").build());

    assertNothingIsHeld();
  }

  private void assertNothingIsHeld() {
    assertThat(stores.quotas().uses(world.tenant().id())).allMatch(use -> use.used() == 0);
    for (Node node : stores.inventory().nodes(world.cluster().id())) {
      assertThat(node.allocated()).isEqualTo(ResourceVector.ZERO);
      assertThat(node.gpus()).allMatch(gpu -> gpu.allocatedMilli() == 0);
    }
  }

  private long used(QuotaCell cell) {
    return stores.quotas().uses(world.tenant().id()).stream()
        .filter(use -> use.node().equals(world.queue().id()) && use.cell().equals(cell))
        .mapToLong(QuotaUse::used)
        .sum();
  }

  private void limitGpus(long milli, LimitWindow... windows) {
    world.limit(
        world.queue(),
        new QuotaLimit(H100, ResourceNames.GPU, milli, 0L, null, List.of(windows), null),
        limit(ResourceNames.CPU, null),
        limit(ResourceNames.MEMORY, null));
  }

  private static QuotaLimit limit(String resource, Long nominal) {
    return new QuotaLimit(H100, resource, nominal, 0L, null);
  }

  private Attempt attempt(Job job, String node) {
    return world.attempt(
        job, 0, Members.of(job.spec(), List.of(world.node(node)), CapacityType.RESERVED));
  }

  private Attempt slices(String name, int gpu, int milli, int slices) {
    return share(name, new GpuShare(gpu, "node-1/" + gpu, milli, slices));
  }

  private Attempt share(String name, int gpu, int milli) {
    return share(name, new GpuShare(gpu, "node-1/" + gpu, milli));
  }

  private Attempt share(String name, GpuShare share) {
    Job job =
        world.submit(
            Specs.job(name).cpuMilli(100).memoryMiB(100).gpu(GpuRequest.fraction(share.milli())));
    Member member =
        Members.member(
            job.spec().roles().getFirst(),
            0,
            world.node("node-1"),
            CapacityType.RESERVED,
            List.of(share));
    return world.attempt(job, 0, List.of(member));
  }

  private List<Member> members(Specs spec) {
    return Members.of(spec.build(), List.of(world.node("node-2")), CapacityType.RESERVED);
  }
}
