package dev.fairlead.fleet.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Laws over random trees and random sequences of use and free. A failure names its seed. */
class QuotaTreeLawsTest {
  private static final int TREES = 200;
  private static final int STEPS = 60;

  private record Charge(QuotaNodeId queue, long amount, boolean nonPreemptible) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void useAndFreeAreInverseInAnyOrder(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < TREES; i++) {
      Trees trees = randomTree(random);
      QuotaTree tree = trees.build();
      List<Charge> held = new ArrayList<>();
      for (int step = 0; step < STEPS; step++) {
        if (held.isEmpty() || random.nextInt(3) > 0) {
          QuotaNodeId queue = trees.id("q" + random.nextInt(4));
          Charge charge = new Charge(queue, 1 + random.nextInt(9), random.nextBoolean());
          tree.use(charge.queue(), Trees.CELL, charge.amount(), charge.nonPreemptible());
          held.add(charge);
        } else {
          free(tree, held.remove(random.nextInt(held.size())));
        }
        assertEachNodeCountsWhatItsChildrenTakeBeyondTheirOwn(trees, tree, seed);
      }
      while (!held.isEmpty()) {
        free(tree, held.remove(random.nextInt(held.size())));
      }
      assertThat(tree.uses())
          .as("seed %d tree %d", seed, i)
          .allMatch(use -> use.used() == 0 && use.nonPreemptible() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13})
  void noAdmittedRequestExceedsTheTree(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < TREES; i++) {
      Trees trees = randomTree(random);
      QuotaTree tree = trees.build();
      for (int step = 0; step < STEPS; step++) {
        QuotaNodeId queue = trees.id("q" + random.nextInt(4));
        long amount = 1 + random.nextInt(9);
        if (tree.refusing(queue, Trees.CELL, amount) == null) {
          tree.use(queue, Trees.CELL, amount);
        }
        QuotaNodeId root = trees.id("root");
        assertThat(tree.used(root, Trees.CELL))
            .as("seed %d tree %d", seed, i)
            .isLessThanOrEqualTo(tree.subtreeQuota(root, Trees.CELL));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {21, 22})
  void recountYieldsTheSameCounters(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < TREES; i++) {
      Trees trees = randomTree(random);
      QuotaTree tree = trees.build();
      QuotaTree anew = trees.build();
      long[] sums = new long[4];
      for (int step = 0; step < STEPS; step++) {
        int queue = random.nextInt(4);
        tree.use(trees.id("q" + queue), Trees.CELL, 1);
        sums[queue]++;
      }
      for (int queue = 0; queue < 4; queue++) {
        anew.use(trees.id("q" + queue), Trees.CELL, sums[queue]);
      }
      for (QuotaNode node : trees.all()) {
        assertThat(anew.used(node.id(), Trees.CELL)).isEqualTo(tree.used(node.id(), Trees.CELL));
      }
    }
  }

  private static void free(QuotaTree tree, Charge charge) {
    tree.free(charge.queue(), Trees.CELL, charge.amount(), charge.nonPreemptible());
  }

  private static void assertEachNodeCountsWhatItsChildrenTakeBeyondTheirOwn(
      Trees trees, QuotaTree tree, long seed) {
    for (QuotaNode node : trees.all()) {
      long above = 0;
      boolean inner = false;
      for (QuotaNode child : trees.all()) {
        if (node.id().equals(child.parent())) {
          inner = true;
          long beyond = tree.used(child.id(), Trees.CELL) - tree.guaranteed(child.id(), Trees.CELL);
          above += Math.max(0, beyond);
        }
      }
      if (inner) {
        assertThat(tree.used(node.id(), Trees.CELL))
            .as("seed %d, %s", seed, node.name())
            .isEqualTo(above);
      }
    }
  }

  /** A root, two groups, two queues in each. */
  static Trees randomTree(Random random) {
    Trees trees = new Trees().limited("root", null, (long) random.nextInt(10), null, null);
    for (int group = 0; group < 2; group++) {
      trees.limited("g" + group, "root", (long) random.nextInt(10), maybe(random), maybe(random));
      for (int queue = 0; queue < 2; queue++) {
        trees.limited(
            "q" + (2 * group + queue),
            "g" + group,
            (long) random.nextInt(12),
            maybe(random),
            maybe(random));
      }
    }
    return trees;
  }

  private static @Nullable Long maybe(Random random) {
    return random.nextBoolean() ? null : Long.valueOf(random.nextInt(8));
  }
}
