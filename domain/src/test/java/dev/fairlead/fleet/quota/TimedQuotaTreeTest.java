package dev.fairlead.fleet.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trees with different limits by day and by night. */
class TimedQuotaTreeTest {
  private static final Instant DAY = Instant.parse("2026-06-06T12:00:00Z");
  private static final Instant NIGHT = Instant.parse("2026-06-06T23:00:00Z");
  private static final RecurringWindow NIGHTS =
      RecurringWindow.of(
          Cron.parse("0 22 * * *"), Duration.ofHours(8), RecurringWindow.zone("UTC"));
  private static final int TREES = 300;
  private static final int STEPS = 60;

  private static List<QuotaNode> timed(Trees trees, Random random) {
    return trees.all().stream()
        .map(node -> random.nextInt(3) == 0 ? node : node.limited(limit -> by(limit, random)))
        .toList();
  }

  private static QuotaLimit by(QuotaLimit limit, Random random) {
    return with(limit, (long) random.nextInt(12), random.nextBoolean() ? null : 3L);
  }

  private static QuotaLimit with(QuotaLimit limit, Long nominal, @Nullable Long borrowing) {
    return new QuotaLimit(
        limit.flavor(),
        limit.resource(),
        limit.nominal(),
        limit.borrowingLimit(),
        limit.lendingLimit(),
        List.of(new LimitWindow(NIGHTS, nominal, borrowing)),
        null);
  }

  /**
   * Fails when quota that a window removes from a queue still belongs to it, or is also lent: the
   * usage then exceeds the total at that time, although no limit was exceeded before.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void admissionsAtATimeStayWithinTheQuotaOfThatTime(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < TREES; i++) {
      Trees trees = QuotaTreeLawsTest.randomTree(random);
      List<QuotaNode> nodes = timed(trees, random);
      List<QuotaUse> uses = List.of();
      for (int step = 0; step < STEPS; step++) {
        Instant now = random.nextBoolean() ? DAY : NIGHT;
        QuotaTree tree = QuotaTree.at(nodes, uses, now);
        QuotaNodeId queue = trees.id("q" + random.nextInt(4));
        long amount = 1 + random.nextInt(9);
        boolean fits = nodes.stream().allMatch(n -> tree.availableInTree(n.id(), Trees.CELL) >= 0);
        if (tree.admits(queue, Trees.CELL, amount, false)) {
          tree.use(queue, Trees.CELL, amount);
          long given = nodes.stream().mapToLong(n -> n.limits().getFirst().at(now).nominal()).sum();
          if (fits) {
            assertThat(used(tree, trees)).as("seed %d tree %d", seed, i).isLessThanOrEqualTo(given);
          }
        }
        uses = tree.uses();
      }
    }
  }

  private static long used(QuotaTree tree, Trees trees) {
    long sum = 0;
    for (int queue = 0; queue < 4; queue++) {
      sum += tree.used(trees.id("q" + queue), Trees.CELL);
    }
    return sum;
  }

  /** Fails when the counters differ between night and day: each window would need a recount. */
  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13})
  void countersAreTheSameAtAllTimes(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < TREES; i++) {
      Trees trees = QuotaTreeLawsTest.randomTree(random);
      List<QuotaNode> nodes = timed(trees, random);
      QuotaTree counted = new QuotaTree(nodes, List.of());
      List<QuotaUse> uses = List.of();
      List<QuotaNodeId> held = new ArrayList<>();
      for (int step = 0; step < STEPS; step++) {
        QuotaTree tree = QuotaTree.at(nodes, uses, random.nextBoolean() ? DAY : NIGHT);
        if (held.isEmpty() || random.nextInt(3) > 0) {
          QuotaNodeId queue = trees.id("q" + random.nextInt(4));
          tree.use(queue, Trees.CELL, 3);
          counted.use(queue, Trees.CELL, 3);
          held.add(queue);
        } else {
          QuotaNodeId queue = held.remove(random.nextInt(held.size()));
          tree.free(queue, Trees.CELL, 3);
          counted.free(queue, Trees.CELL, 3);
        }
        uses = tree.uses();
        for (QuotaNode node : nodes) {
          assertThat(tree.used(node.id(), Trees.CELL))
              .as("seed %d tree %d %s", seed, i, node.name())
              .isEqualTo(counted.used(node.id(), Trees.CELL));
        }
      }
    }
  }

  /** Fails when a queue above its current limit borrows, or lends quota that it does not have. */
  @Test
  void windowThatUsesAQueuesReserveLeavesItNothingToBorrow() {
    Trees trees =
        new Trees()
            .limited("root", null, 4L, null, null)
            .limited("keeps", "root", 10L, null, 0L)
            .limited("other", "root", 0L, null, null);
    List<QuotaNode> nodes = new ArrayList<>(trees.all());
    nodes.set(1, nodes.get(1).limited(limit -> with(limit, 2L, null)));
    QuotaTree night = QuotaTree.at(nodes, List.of(), NIGHT);

    assertThat(night.available(trees.id("keeps"), Trees.CELL)).isEqualTo(2);
    assertThat(night.available(trees.id("other"), Trees.CELL)).isEqualTo(4);
    assertThat(QuotaTree.at(nodes, List.of(), DAY).available(trees.id("keeps"), Trees.CELL))
        .isEqualTo(14);
    night.use(trees.id("keeps"), Trees.CELL, 9);
    assertThat(night.available(trees.id("keeps"), Trees.CELL)).isEqualTo(-7);
    assertThat(night.used(trees.id("root"), Trees.CELL)).isZero();
  }
}
