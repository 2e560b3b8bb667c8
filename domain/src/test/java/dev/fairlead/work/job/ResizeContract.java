package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Allocations of members that join a running attempt, and their release. */
public abstract class ResizeContract {
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

  private Attempt running() {
    Job job = world.submit(Specs.job("elastic").workers(4).minWorkers(1).gpus(2));
    Attempt planned = world.attempt(job, 0, world.members(job, 0, "node-1", "node-1"));
    world.append(world.admission(planned));
    return world.run(planned);
  }

  @Test
  void joiningMembersAllocateExactlyTheirRequest() {
    Attempt grown = world.grow(running(), "node-2");

    assertThat(grown.members())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-1", "worker-2");
    assertThat(grown.members().getLast().joins()).isTrue();
    assertThat(used()).isEqualTo(6000);
    assertThat(held("node-1")).isEqualTo(4000);
    assertThat(held("node-2")).isEqualTo(2000);
    assertThat(stores.counters().compare()).isEmpty();
  }

  /** Fails when the growth is written without a check of the tree. */
  @Test
  void quotaAppliesToJoiningMembers() {
    world.limit(world.queue(), new QuotaLimit(H100, "gpu", 5000L, 0L, null));
    Attempt running = running();

    Refused.by(Guard.QUOTA, () -> world.grow(running, "node-2"));

    assertThat(used()).isEqualTo(4000);
    assertThat(world.attempt(running).members()).hasSize(2);
  }

  /** Fails when the growth is written without a check of the node or its devices. */
  @Test
  void noMemberJoinsWithoutCapacity() {
    Attempt running = running();
    List<Member> late = world.members(world.jobOf(running), 2, "node-1");
    world.place(world.submit(Specs.job("other").gpus(4)), 0, "node-1");

    Refused.by(Guard.NODE_ROOM, () -> world.grow(running, late));

    assertThat(held("node-1")).isEqualTo(8000);
  }

  @Test
  void leavingMemberHoldsItsResourcesUntilItIsDead() {
    Attempt told = world.shrink(running(), "worker-1");

    assertThat(told.members()).hasSize(2);
    assertThat(told.members().getLast().leaves()).isTrue();
    assertThat(used()).isEqualTo(4000);
    assertThat(wanting()).containsExactly(told.id());
  }

  /** Fails when the allocation of a member that left is not released, or more than that is. */
  @Test
  void departedMemberReleasesItsResourcesAndTheAttemptContinues() {
    Attempt left = world.leave(world.shrink(running(), "worker-1"));

    assertThat(left.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(left.members()).extracting(Member::key).containsExactly("worker-0");
    assertThat(left.left()).extracting(Member::key).containsExactly("worker-1");
    assertThat(used()).isEqualTo(2000);
    assertThat(held("node-1")).isEqualTo(2000);
    assertThat(stores.counters().compare()).isEmpty();
    assertThat(wanting()).isEmpty();
  }

  @Test
  void endOfTheAttemptReleasesItsRemainingResources() {
    Attempt left = world.leave(world.shrink(running(), "worker-1"));
    Attempt grown = world.grow(left, "node-2");
    assertThat(grown.members()).extracting(Member::key).containsExactly("worker-0", "worker-2");

    world.fail(grown, FailureCause.USER_ERROR);

    assertThat(used()).isZero();
    assertThat(held("node-1") + held("node-2")).isZero();
    assertThat(stores.counters().compare()).isEmpty();
    assertThat(world.attempt(grown).everyMember())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-2", "worker-1");
  }

  /** Fails when a finished member is counted, or released a second time at the end. */
  @Test
  void finishedMemberReleasesItsResourcesOnceForAnotherJob() {
    Job job = world.submit(Specs.job("fixed").workers(4).gpus(2));
    Attempt planned =
        world.attempt(job, 0, world.members(job, 0, "node-1", "node-1", "node-1", "node-1"));
    world.append(world.admission(planned));
    Attempt running = world.run(planned);

    Attempt finished = world.finish(running, "worker-1");
    assertThat(finished.left()).singleElement().matches(Member::finished);
    assertThat(used()).isEqualTo(6000);
    assertThat(held("node-1")).isEqualTo(6000);
    world.place(world.submit(Specs.job("next").gpus(2)), 0, "node-1");
    assertThat(held("node-1")).isEqualTo(8000);
    assertThat(stores.counters().compare()).isEmpty();

    world.succeed(finished);

    assertThat(used()).isEqualTo(2000);
    assertThat(held("node-1")).isEqualTo(2000);
    assertThat(stores.counters().compare()).isEmpty();
  }

  /** Fails when a replacement is reported twice, or the allocation of a lost member is free. */
  @Test
  void replacementHoldsItsResourcesUntilTheReplacedMemberIsDead() {
    Job job = world.submit(Specs.job("repaired").workers(2).gpus(2).repaired(1));
    Attempt planned = world.attempt(job, 0, world.members(job, 0, "node-1", "node-1"));
    world.append(world.admission(planned));
    Attempt lacks = world.lose(world.run(planned), "worker-1");

    Attempt replaced = world.grow(lacks, "node-2");
    assertThat(replaced.members())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-1", "worker-2");
    assertThat(used()).as("both until the faulty one is dead").isEqualTo(6000);
    assertThat(replaced.toCreate()).noneMatch(Member::joins);
    List<Member> more = world.members(world.jobOf(replaced), 3, "node-2");
    assertThat(
            SizeTransitions.grow(
                world.jobOf(replaced), replaced, more, world.now(), TestWorld.ACTOR))
        .as("one is replaced once")
        .isEmpty();

    Attempt left = world.leave(replaced);
    assertThat(used()).isEqualTo(4000);
    assertThat(held("node-1")).isEqualTo(2000);
    assertThat(left.toCreate()).filteredOn(Member::joins).hasSize(1);
    assertThat(stores.counters().compare()).isEmpty();

    Transition refused =
        SizeTransitions.giveUp(world.jobOf(left), left, "no room", world.now(), TestWorld.ACTOR)
            .orElseThrow();
    world.append(refused);
    assertThat(world.attempt(left).members().getLast().leaves()).isTrue();
  }

  /** Fails when the store does not check that the attempt still holds its allocation. */
  @Test
  void endedAttemptIsNeverResized() {
    Attempt told = world.shrink(running(), "worker-1");
    Transition left = world.departure(told);
    world.fail(told, FailureCause.USER_ERROR);

    Refused.by(Guard.VERSION, () -> world.append(left));

    assertThat(used()).isZero();
  }

  @Test
  void gangNeverShrinksBelowItsMinimum() {
    Attempt running = running();

    assertThat(
            SizeTransitions.shrink(
                world.jobOf(running),
                running,
                running.members().stream().map(MemberKey::of).toList(),
                "too many",
                world.now(),
                TestWorld.ACTOR))
        .isEmpty();
  }

  @Test
  void checkpointOfARunningAttemptIsStored() {
    Attempt running = running();

    world.append(
        OwnerTransitions.checkpoint(
                world.jobOf(running), List.of(running), world.now(), TestWorld.ACTOR)
            .orElseThrow()
            .toArray(Transition[]::new));

    assertThat(world.attempt(running).checkpointedAt()).isNotNull();
    assertThat(stores.jobs().liveAttempts(running.job()).getFirst().checkpointedAt()).isNotNull();
    Attempt ended = world.fail(running, FailureCause.USER_ERROR);
    assertThat(ended.checkpointedAt()).isNotNull();
    assertThat(
            OwnerTransitions.checkpoint(
                world.jobOf(ended), List.of(ended), world.now(), TestWorld.ACTOR))
        .isEmpty();
  }

  /** Fails when the next supervisor does not know the wait, its start, or its end. */
  @Test
  void requestToAnAttemptIsStored() {
    Attempt running = running();
    CheckpointRequest request =
        new CheckpointRequest(world.now(), world.now().plusSeconds(60), null);
    Failure why = Failure.of(FailureCause.PREEMPTED, "for another", 1);
    Instant deadline = request.until().plusSeconds(30);

    Attempt asked =
        world.apply(running, new AttemptEvent.Stop(StopCause.PREEMPTION, why, deadline, request));
    assertThat(asked.stop())
        .isEqualTo(new Attempt.StopOrder(StopCause.PREEMPTION, deadline, request));
    assertThat(stores.jobs().liveAttempts(running.job()).getFirst().awaitedCheckpoint())
        .isEqualTo(request);

    Attempt over =
        world.apply(asked, new AttemptEvent.CheckpointEnded(CheckpointRequest.Outcome.TIMED_OUT));
    assertThat(over.awaitedCheckpoint()).isNull();
    assertThat(over.checkpointRequest())
        .isEqualTo(
            new CheckpointRequest(
                request.asked(), request.until(), CheckpointRequest.Outcome.TIMED_OUT));
  }

  private long used() {
    return stores.quotas().uses(world.tenant().id()).stream()
        .filter(use -> use.node().equals(world.queue().id()) && use.cell().equals(GPUS))
        .mapToLong(QuotaUse::used)
        .sum();
  }

  private long held(String node) {
    Node now = world.node(node);
    long slots = now.gpus().stream().mapToLong(Gpu::allocatedMilli).sum();
    assertThat(slots).isEqualTo(now.allocated().gpuMilli());
    return slots;
  }

  private List<AttemptId> wanting() {
    return stores
        .jobs()
        .actionable(world.cluster().id(), new ActionRequest.Window(new TreeMap<>(), 10))
        .stream()
        .map(ActionRequest::attempt)
        .toList();
  }
}
