package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Concurrent and sequential allocations: the counters always equal the sum of live allocations. */
public abstract class AllocationRaceContract {
  private static final int THREADS = 8;
  private static final int MANY_THREADS = 64;
  private static final int USERS_JOBS = 16;
  private static final int FIT = 3;
  private static final int EVENTS = 150;
  private static final int SIDE_BY_SIDE = 4;

  /** Permanent rows of a world stay few, because every check reads all of them. */
  private static final int ROUNDS_OF_A_WORLD = 100;

  private static final int EVENTS_OF_A_WORLD = 10_000;
  private static final long SEED = 20_300_101;
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);

  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Tag(Figure.TAG)
  @Test
  void exactlyThreeConcurrentJobsGetTheQuotaOfThree() throws Exception {
    // Fails when quota is read from a snapshot instead of under the lock of its rows.
    int rounds = Figure.times(1, 10_000);
    int threads = Figure.asked() ? MANY_THREADS : THREADS;
    try (ExecutorService racers = Executors.newFixedThreadPool(threads)) {
      for (int round = 0; round < rounds; round += ROUNDS_OF_A_WORLD) {
        aWorldOfItsOwn();
        rounds(Math.min(ROUNDS_OF_A_WORLD, rounds - round), threads, racers);
      }
    }
    Figure.seen(
        "G5",
        "%d of %d got in, in each of %d rounds, %s"
            .formatted(FIT, threads, rounds, stores.getClass().getSimpleName()));
  }

  /** Refused jobs try again in the next round, together with new ones. */
  private void rounds(int rounds, int threads, ExecutorService racers) throws Exception {
    world.limit(
        world.queue(),
        new QuotaLimit(H100, ResourceNames.GPU, FIT * 1000L, 0L, null),
        new QuotaLimit(H100, ResourceNames.CPU, null, null, null),
        new QuotaLimit(H100, ResourceNames.MEMORY, null, null, null));
    List<Attempt> attempts = new ArrayList<>();
    int made = 0;
    for (int round = 0; round < rounds; round++) {
      for (; attempts.size() < threads; made++) {
        attempts.add(oneGpu(world.submit(Specs.job("job-" + made).gpus(1)), made % THREADS));
      }
      List<Boolean> in = atOnce(racers, attempts.stream().map(this::admission).toList());
      assertThat(in).filteredOn(one -> one).hasSize(FIT);
      CounterSums.assertRight(world);
      List<Attempt> out = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        if (in.get(i)) {
          cancelled(attempts.get(i));
        } else {
          out.add(attempts.get(i));
        }
      }
      attempts = out;
    }
  }

  private void cancelled(Attempt attempt) {
    Failure failure = Failure.of(FailureCause.PLATFORM, "over", 1);
    world.append(world.move(attempt, new AttemptEvent.Ended(AttemptState.CANCELLED, failure)));
  }

  /** Fails when the use is counted before the queue's row is locked, or not at all. */
  @Test
  void concurrentStartsNeverExceedAQueueLimit() throws Exception {
    RunLimits none = RunLimits.NONE;
    List<Runnable> limits =
        List.of(
            () -> world.limitUsers(new UserLimits(FIT, null, null, null)),
            () -> world.limitUsers(new UserLimits(null, FIT * 1000L, null, null)),
            () -> world.limitUsers(new UserLimits(null, null, null, FIT * 60L)),
            () -> world.limit(UserLimits.NONE, new RunLimits(null, null, FIT * 60L), none),
            () -> world.limit(UserLimits.NONE, none, new RunLimits(FIT, null, null)));
    for (Runnable limit : limits) {
      aWorldOfItsOwn();
      limit.run();
      List<Callable<Boolean>> work = new ArrayList<>();
      for (int i = 0; i < USERS_JOBS; i++) {
        Specs spec = Specs.job("job-" + i).gpus(1);
        Duration hour = Duration.ofHours(1);
        spec = i % 2 == 0 ? spec.maxRuntime(hour) : spec.deadline(world.now().plus(hour));
        work.add(admission(oneGpu(world.submit(spec), i % THREADS)));
      }

      try (ExecutorService threads = Executors.newFixedThreadPool(USERS_JOBS)) {
        assertThat(atOnce(threads, work)).filteredOn(in -> in).hasSize(FIT);
      }
      CounterSums.assertRight(world);
    }
  }

  /** Fails when a job without a limit counts as ended. */
  @Test
  void jobWithoutARuntimeHasMoreGpuMinutesThanAnyLimit() {
    world.limitUsers(new UserLimits(null, null, null, FIT * 60L));
    Duration hour = Duration.ofHours(1);

    assertThat(admitted(oneGpu(world.submit(Specs.job("endless").gpus(1)), 0))).isFalse();
    assertThat(admitted(oneGpu(world.submit(Specs.job("hour").gpus(1).maxRuntime(hour)), 1)))
        .isTrue();
    assertThat(admitted(oneGpu(world.submit(Specs.job("later").gpus(1)), 2))).isFalse();
  }

  @Test
  void oneGpuGoesToOneOfManyConcurrentJobs() throws Exception {
    List<Callable<Boolean>> work = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      work.add(admission(oneGpu(world.submit(Specs.job("job-" + i).gpus(1)), 0)));
    }

    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      assertThat(atOnce(threads, work)).filteredOn(in -> in).hasSize(1);
    }
    CounterSums.assertRight(world);
  }

  @Tag(Figure.TAG)
  @Test
  void anyOrderOfEventsLeavesNoDrift() throws Exception {
    // Fails when an end releases nothing, or on PostgreSQL no capacity.
    int events = Figure.times(EVENTS, 1_000_000);
    List<Callable<Boolean>> lives = new ArrayList<>();
    for (int first = 0; first < events; first += EVENTS_OF_A_WORLD) {
      long seed = SEED + first;
      int share = Math.min(EVENTS_OF_A_WORLD, events - first);
      lives.add(
          () -> new RandomLife(TestWorld.in(stores()), new Random(seed)).leavesNoDrift(share));
    }
    try (ExecutorService sideBySide = Executors.newFixedThreadPool(SIDE_BY_SIDE)) {
      for (Future<Boolean> life : sideBySide.invokeAll(lives)) {
        assertThat(life.get()).isTrue();
      }
    }
    Figure.seen(
        "G6",
        "no drift after %d events in random order, %s"
            .formatted(events, stores.getClass().getSimpleName()));
  }

  private boolean admitted(Attempt attempt) {
    try {
      world.append(world.admission(attempt));
      return true;
    } catch (Conflict refused) {
      return false;
    }
  }

  private Attempt oneGpu(Job job, int index) {
    Node node = world.node("node-1");
    GpuShare share = new GpuShare(index, node.gpus().get(index).serial(), Gpu.WHOLE_MILLI);
    RoleSpec role = job.spec().roles().getFirst();
    return world.attempt(
        job, 0, List.of(Members.member(role, 0, node, CapacityType.RESERVED, List.of(share))));
  }

  private Callable<Boolean> admission(Attempt attempt) {
    return () -> admitted(attempt);
  }

  private static List<Boolean> atOnce(ExecutorService threads, List<Callable<Boolean>> work)
      throws Exception {
    List<Boolean> answers = new ArrayList<>();
    for (Future<Boolean> answer : threads.invokeAll(work, 60, TimeUnit.SECONDS)) {
      answers.add(answer.get());
    }
    return answers;
  }
}
