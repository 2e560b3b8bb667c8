package dev.fairlead.work.placement.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FitCounterTest {
  private static final int WORLDS = Figure.times(50, 2_000);

  /** Fails when the columns do not follow every change of a node. */
  @Tag(Figure.TAG)
  @Test
  void columnCountsMatchTheNodes() {
    for (long seed = 0; seed < WORLDS; seed++) {
      Fleet fleet = Fleet.of(RandomScene.world(seed, 20));
      Ledger ledger = new Ledger();
      for (MemberShape member : members(seed)) {
        for (ClusterCapacity cluster : fleet.clusters()) {
          cluster.models().forEach(model -> agrees(cluster, member, model));
          cluster.models().forEach(model -> takeOne(cluster, member, model, ledger));
        }
      }
    }
  }

  /** Fails when DirtyNodes misses a changed node, or FitCounter counts a removed one. */
  @Tag(Figure.TAG)
  @Test
  void incrementalCountEqualsAFullCount() {
    for (long seed = 0; seed < WORLDS; seed++) {
      World world = RandomScene.world(seed, 20);
      Fleet then = Fleet.of(world);
      List<MemberShape> members = members(seed);
      summaries(then, members);
      Fleet on = Fleet.of(RandomScene.world(seed + seed % 2, 20), then.cache());
      Fleet afresh = Fleet.of(RandomScene.world(seed + seed % 2, 20), new TreeMap<>());
      Ledger ledger = new Ledger();
      for (Fleet each : List.of(on, afresh)) {
        each.clusters()
            .forEach(c ->
                c.models()
                    .forEach(
                        m -> members.stream().limit(2).forEach(w -> takeOne(c, w, m, ledger))));
      }
      assertThat(summaries(on, members)).isEqualTo(summaries(afresh, members));
    }
  }

  private static List<MemberShape> members(long seed) {
    return RandomScene.world(seed, 20).pending().stream()
        .map(PendingJob::job)
        .flatMap(job -> GangShape.of(job).roles().stream())
        .toList();
  }

  private static List<FitSummary> summaries(Fleet fleet, List<MemberShape> members) {
    return fleet.clusters().stream()
        .flatMap(c -> members.stream().map(member -> c.summary(member, "H100")))
        .toList();
  }

  private static void agrees(ClusterCapacity cluster, MemberShape member, String model) {
    List<NodeCapacity> admitting = cluster.admitting(member, model);
    FitSummary summary = cluster.summary(member, model);
    assertThat(summary.admitting()).isEqualTo(admitting.size());
    long fits = admitting.stream().mapToLong(r -> r.fits(member)).sum();
    assertThat(summary.fits()).isEqualTo((int) Math.min(fits, Integer.MAX_VALUE));
    assertThat(summary.mostWhole())
        .isEqualTo(admitting.stream().mapToInt(r -> r.slots().freeWhole()).max().orElse(0));
    int refused = summary.filtered().values().stream().mapToInt(Integer::intValue).sum();
    assertThat(refused + summary.admitting()).isEqualTo(cluster.capacities().size());
  }

  private static void takeOne(
      ClusterCapacity cluster, MemberShape member, String model, Ledger ledger) {
    cluster.admitting(member, model).stream()
        .filter(capacity -> capacity.takes(member))
        .findFirst()
        .ifPresent(capacity -> ledger.take(capacity, member, 1));
  }
}
