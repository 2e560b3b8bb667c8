package dev.fairlead.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.Node;
import dev.fairlead.figure.Figure;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaLimit;
import dev.fairlead.quota.QuotaUse;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.ResourceNames;
import dev.fairlead.resources.ResourceVector;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.world.Members;
import dev.fairlead.world.Stores;
import dev.fairlead.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many at once, and many in a row: the counters are always the sum of what lives. */
public abstract class AllocationRaceContract {
  private static final int THREADS = 8;
  private static final int MANY_THREADS = 64;
  private static final int FIT = 3;
  private static final int WORDS = 150;
  // two GPUs each fit on one node, whichever it is
  private static final int LIVE = 4;
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
  void whereExactlyThreeFitThreeGetIn() throws Exception {
    // Fails when quota is read from a snapshot instead of under the lock of its rows.
    world.limit(
        world.queue(),
        new QuotaLimit(H100, ResourceNames.GPU, FIT * 1000L, 0L, null),
        new QuotaLimit(H100, ResourceNames.CPU, null, null, null),
        new QuotaLimit(H100, ResourceNames.MEMORY, null, null, null));
    int rounds = Figure.times(1, 10_000);
    int threads = Figure.asked() ? MANY_THREADS : THREADS;
    for (int round = 0; round < rounds; round++) {
      List<Callable<Boolean>> work = new ArrayList<>();
      List<Attempt> attempts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Job job = world.submit(Specs.job("job-" + round + "-" + i).gpus(1));
        Attempt attempt = oneGpu(job, i % THREADS);
        attempts.add(attempt);
        work.add(() -> admitted(attempt));
      }
      List<Boolean> in = atOnce(work);
      assertThat(in).filteredOn(one -> one).hasSize(FIT);
      assertCountersAreTheSumOfWhatLives();
      if (rounds > 1) {
        leave(attempts, in);
      }
    }
    Figure.seen("G5", FIT + " of " + threads + " got in, in each of " + rounds + " rounds");
  }

  private void leave(List<Attempt> attempts, List<Boolean> in) {
    for (int i = 0; i < attempts.size(); i++) {
      if (in.get(i)) {
        Failure failure = Failure.of(FailureCause.PLATFORM, "over", 1);
        world.apply(
            world.attempt(attempts.get(i)),
            new AttemptEvent.Ended(AttemptState.CANCELLED, failure));
      }
    }
  }

  @Test
  void oneGpuGoesToOneOfMany() throws Exception {
    List<Callable<Boolean>> work = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Attempt attempt = oneGpu(world.submit(Specs.job("job-" + i).gpus(1)), 0);
      work.add(() -> admitted(attempt));
    }

    assertThat(atOnce(work)).filteredOn(in -> in).hasSize(1);
    assertCountersAreTheSumOfWhatLives();
  }

  @Tag(Figure.TAG)
  @Test
  void anyOrderOfEventsLeavesNoDrift() {
    Random random = new Random(SEED);
    List<Attempt> live = new ArrayList<>();
    int words = Figure.times(WORDS, 1_000_000);
    for (int i = 0; i < words; i++) {
      if (live.isEmpty() || live.size() < LIVE && random.nextBoolean()) {
        int gpus = 1 + random.nextInt(2);
        String node = random.nextBoolean() ? "node-1" : "node-2";
        live.add(world.place(world.submit(Specs.job("word-" + i).gpus(gpus)), 0, node));
      } else {
        step(live, random);
      }
    }
    assertCountersAreTheSumOfWhatLives();
    live.forEach(attempt -> end(attempt, random));

    assertThat(stores.quotas().uses(world.tenant().id())).allMatch(use -> use.used() == 0);
    assertCountersAreTheSumOfWhatLives();
    Figure.seen("G6", "no drift after " + words + " events in random order");
  }

  private void step(List<Attempt> live, Random random) {
    int which = random.nextInt(live.size());
    Attempt attempt = world.attempt(live.get(which));
    switch (attempt.state()) {
      case PLANNED -> world.apply(attempt, new AttemptEvent.Launch());
      case LAUNCHING, PULLING -> world.apply(attempt, new AttemptEvent.Progress(true));
      default -> {
        end(attempt, random);
        live.remove(which);
      }
    }
  }

  private void end(Attempt given, Random random) {
    Attempt attempt = world.attempt(given);
    boolean planned = attempt.state() == AttemptState.PLANNED;
    AttemptState how =
        planned
            ? AttemptState.CANCELLED
            : random.nextBoolean() ? AttemptState.FAILED : AttemptState.LOST;
    Failure failure = Failure.of(FailureCause.NODE_FAILURE, "random", attempt.number());
    world.apply(attempt, new AttemptEvent.Ended(how, failure));
  }

  private void assertCountersAreTheSumOfWhatLives() {
    SortedMap<QuotaCell, Long> charges = new TreeMap<>();
    SortedMap<String, ResourceVector> rooms = new TreeMap<>();
    SortedMap<String, Integer> shares = new TreeMap<>();
    for (Attempt attempt : stores.jobs().unretired(world.cluster().id())) {
      if (attempt.live()) {
        attempt.charges().forEach((cell, amount) -> charges.merge(cell, amount, Long::sum));
        for (Member m : attempt.members()) {
          rooms.merge(m.nodeName(), m.request(), ResourceVector::plus);
          m.gpus()
              .forEach(g -> shares.merge(m.nodeName() + "/" + g.index(), g.milli(), Integer::sum));
        }
      }
    }
    SortedMap<QuotaCell, Long> used = new TreeMap<>();
    for (QuotaUse use : stores.quotas().uses(world.tenant().id())) {
      if (use.node().equals(world.queue().id()) && use.used() != 0) {
        used.put(use.cell(), use.used());
      }
    }
    assertThat(used).isEqualTo(charges);
    for (Node node : stores.inventory().nodes(world.cluster().id())) {
      assertThat(node.allocated()).isEqualTo(rooms.getOrDefault(node.name(), ResourceVector.ZERO));
      for (Gpu gpu : node.gpus()) {
        assertThat(gpu.allocatedMilli())
            .isEqualTo(shares.getOrDefault(node.name() + "/" + gpu.index(), 0));
      }
    }
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

  private static List<Boolean> atOnce(List<Callable<Boolean>> work) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(work.size())) {
      List<Boolean> answers = new ArrayList<>();
      for (Future<Boolean> answer : threads.invokeAll(work, 60, TimeUnit.SECONDS)) {
        answers.add(answer.get());
      }
      return answers;
    }
  }
}
