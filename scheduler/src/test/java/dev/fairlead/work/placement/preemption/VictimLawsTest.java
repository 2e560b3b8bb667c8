package dev.fairlead.work.placement.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.PreemptionRules.Reclaim;
import dev.fairlead.fleet.quota.PreemptionRules.WithinQueue;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.placement.QuotaWorld;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Runs over seeded random worlds. A failure names its seed. */
class VictimLawsTest {
  private static final List<String> QUEUES = List.of("a", "b", "c");

  private final QuotaWorld world = new QuotaWorld().queue("a", 4).queue("b", 4).queue("c", 2);

  @Test
  void everyVictimIsNeeded() {
    int chosen = 0;
    for (int seed = 0; seed < 500; seed++) {
      List<RunningJob> running = running(new Random(seed));
      Preemptor preemptor = preemptor(new Random(seed));
      List<Victim> victims = search(running).find(preemptor);
      chosen += victims.size();
      for (Victim victim : victims) {
        List<RunningJob> others = new ArrayList<>(victims.stream().map(Victim::job).toList());
        others.remove(victim.job());
        assertThat(fitsWithout(running, others, preemptor)).as("seed %s", seed).isFalse();
      }
      if (!victims.isEmpty()) {
        List<RunningJob> all = victims.stream().map(Victim::job).toList();
        assertThat(fitsWithout(running, all, preemptor)).as("seed %s", seed).isTrue();
      }
    }
    assertThat(chosen).isGreaterThan(100);
  }

  @Test
  void inputOrderOfTheJobsChangesNothing() {
    for (int seed = 0; seed < 200; seed++) {
      List<RunningJob> running = running(new Random(seed));
      Preemptor preemptor = preemptor(new Random(seed));
      List<Victim> victims = search(running).find(preemptor);
      Collections.shuffle(running, new Random(seed + 1));
      assertThat(search(running).find(preemptor)).as("seed %s", seed).isEqualTo(victims);
    }
  }

  private VictimSearch search(List<RunningJob> running) {
    return new VictimSearch(tree(running), running, FreedCapacity.ENOUGH);
  }

  /** A queue that reclaims must not borrow afterwards, because these rules forbid it. */
  private boolean fitsWithout(
      List<RunningJob> running, List<RunningJob> gone, Preemptor preemptor) {
    List<RunningJob> left = new ArrayList<>(running);
    left.removeAll(gone);
    QuotaTree tree = tree(left);
    long asked = preemptor.asks().get(QuotaWorld.GPUS);
    boolean within =
        tree.used(preemptor.queue(), QuotaWorld.GPUS) + asked
            <= tree.subtreeQuota(preemptor.queue(), QuotaWorld.GPUS);
    boolean onlyOwn = gone.stream().allMatch(job -> job.queue().equals(preemptor.queue()));
    return tree.available(preemptor.queue(), QuotaWorld.GPUS) >= asked && (within || onlyOwn);
  }

  private QuotaTree tree(List<RunningJob> running) {
    TreeMap<String, Long> used = new TreeMap<>();
    for (String queue : QUEUES) {
      running.stream()
          .filter(job -> job.queue().equals(world.id(queue)))
          .forEach(job -> used.merge(queue, job.use().get(QuotaWorld.GPUS), Long::sum));
    }
    return world.build(used);
  }

  private List<RunningJob> running(Random random) {
    List<RunningJob> running = new ArrayList<>();
    long left = 10;
    for (int i = 0; left > 0; i++) {
      long gpus = Math.min(left, 1 + random.nextInt(4));
      left -= gpus;
      running.add(
          new RunningJob(
              "job" + i,
              "job" + i,
              world.id(QUEUES.get(random.nextInt(QUEUES.size()))),
              random.nextInt(5),
              random.nextInt(5),
              i,
              random.nextInt(10) == 0,
              new TreeMap<>(Map.of(QuotaWorld.GPUS, gpus))));
    }
    return running;
  }

  private Preemptor preemptor(Random random) {
    return new Preemptor(
        world.id("a"),
        2 + random.nextInt(3),
        99,
        new TreeMap<>(Map.of(QuotaWorld.GPUS, 1L + random.nextInt(4))),
        new TreeSet<QuotaCell>(List.of(QuotaWorld.GPUS)),
        new PreemptionRules(
            WithinQueue.LOWER_PRIORITY,
            random.nextBoolean() ? Reclaim.ANY : Reclaim.LOWER_PRIORITY,
            false));
  }
}
