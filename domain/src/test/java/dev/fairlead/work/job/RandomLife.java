package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Jobs of one world that start, advance and end in random order, some of them concurrently, like
 * the writes of loops.
 */
final class RandomLife {
  /**
   * Number of half GPUs that fit on a node of eight GPUs regardless of the placement of quarters: a
   * GPU without a free half has three quarters in use, and eleven jobs cannot fill all eight GPUs
   * that far.
   */
  private static final int LIVE = 12;

  private static final int QUARTER_MILLI = 250;
  private static final int SUBMITTED_AT_ONCE = 16;

  private final TestWorld world;
  private final Random random;
  private final Deque<Job> waiting = new ArrayDeque<>();
  private List<Attempt> live = List.of();
  private int submitted;

  RandomLife(TestWorld world, Random random) {
    this.world = world;
    this.random = random;
  }

  /**
   * Plays this number of events and returns whether the counters were correct throughout and
   * nothing is held afterwards.
   */
  boolean leavesNoDrift(int events) {
    for (int seen = 0; seen < events; ) {
      seen += step();
    }
    CounterSums.assertRight(world);
    while (!live.isEmpty()) {
      append(live.stream().map(a -> moved(a, ended(a))).toList());
    }
    assertThat(world.stores().quotas().uses(world.tenant().id())).allMatch(use -> use.used() == 0);
    CounterSums.assertRight(world);
    return true;
  }

  /** About half of the jobs advance and one may start, in one transaction. Returns their number. */
  private int step() {
    List<Transition> batch = new ArrayList<>();
    live.stream().filter(a -> random.nextBoolean()).forEach(a -> batch.add(moved(a, next(a))));
    if (live.size() < LIVE && random.nextInt(4) > 0) {
      batch.add(started());
    }
    append(batch);
    return batch.size();
  }

  private void append(List<Transition> batch) {
    if (batch.isEmpty()) {
      return;
    }
    world.append(batch.toArray(Transition[]::new));
    List<AttemptId> ids = new ArrayList<>(live.stream().map(Attempt::id).toList());
    batch.stream()
        .map(Transition::attempt)
        .filter(a -> a != null && !ids.contains(a.id()))
        .forEach(a -> ids.add(a.id()));
    live = world.stores().jobs().attempts(ids).stream().filter(Attempt::live).toList();
  }

  private Transition started() {
    if (waiting.isEmpty()) {
      submit();
    }
    String node = random.nextBoolean() ? "node-1" : "node-2";
    Job job = waiting.removeFirst();
    return world.admission(
        world.attempt(
            job, 0, Members.of(job.spec(), List.of(world.node(node)), CapacityType.RESERVED)));
  }

  private void submit() {
    for (int i = 0; i < SUBMITTED_AT_ONCE; i++) {
      GpuRequest part = GpuRequest.fraction(QUARTER_MILLI * (1 + random.nextInt(2)));
      waiting.addLast(world.newJob(Specs.job("life-" + submitted++).gpu(part).build()));
    }
    world.append(waiting.stream().map(JobTransitions::submit).toArray(Transition[]::new));
  }

  private Transition moved(Attempt attempt, AttemptEvent event) {
    Instant now = attempt.createdAt();
    Job job = world.jobOf(attempt);
    Attempt after = AttemptLifecycle.apply(attempt, event, now).orElseThrow();
    return JobTransitions.observe(job, null, after, event, List.of(), now, TestWorld.ACTOR);
  }

  private AttemptEvent next(Attempt attempt) {
    return switch (attempt.state()) {
      case PLANNED -> random.nextInt(4) == 0 ? ended(attempt) : new AttemptEvent.Launch();
      case LAUNCHING, PULLING -> new AttemptEvent.Progress(true);
      default -> ended(attempt);
    };
  }

  private AttemptEvent ended(Attempt attempt) {
    boolean planned = attempt.state() == AttemptState.PLANNED;
    AttemptState how =
        planned
            ? AttemptState.CANCELLED
            : random.nextBoolean() ? AttemptState.FAILED : AttemptState.LOST;
    Failure failure = Failure.of(FailureCause.NODE_FAILURE, "random", attempt.number());
    return new AttemptEvent.Ended(how, failure);
  }
}
