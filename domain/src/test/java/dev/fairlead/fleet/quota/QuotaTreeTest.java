package dev.fairlead.fleet.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.resources.Saturating;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The rules of Kueue's {@code resource_node.go}, case by case, and the meaning of unlimited. */
class QuotaTreeTest {
  @Test
  void singleQueueHasItsNominalQuota() {
    Trees t = new Trees().limited("q", null, 10L, null, null);
    QuotaTree tree = t.build();

    tree.use(t.id("q"), Trees.CELL, 4);

    assertThat(tree.available(t.id("q"), Trees.CELL)).isEqualTo(6);
  }

  @Test
  void siblingsBorrowIdleQuota() {
    Trees t = team();
    QuotaTree tree = t.build();
    assertThat(tree.available(t.id("a"), Trees.CELL)).isEqualTo(16);

    tree.use(t.id("b"), Trees.CELL, 5);

    assertThat(tree.available(t.id("a"), Trees.CELL)).isEqualTo(11);
    assertThat(tree.used(t.id("root"), Trees.CELL))
        .as("nothing is kept from the parent")
        .isEqualTo(5);
  }

  @Test
  void borrowingLimitCapsUseOfTheParent() {
    Trees t =
        new Trees()
            .open("root", null)
            .limited("a", "root", 10L, 2L, null)
            .limited("b", "root", 6L, null, null);
    QuotaTree tree = t.build();
    assertThat(tree.available(t.id("a"), Trees.CELL)).isEqualTo(12);

    tree.use(t.id("a"), Trees.CELL, 11);
    assertThat(tree.available(t.id("a"), Trees.CELL)).isEqualTo(1);
    assertThat(tree.borrowed(t.id("a"), Trees.CELL)).isEqualTo(1);
  }

  @Test
  void borrowingLimitOfZeroConfinesAQueueToItsQuota() {
    Trees t =
        new Trees()
            .open("root", null)
            .limited("a", "root", 10L, 0L, null)
            .limited("b", "root", 6L, null, null);
    QuotaTree tree = t.build();

    assertThat(tree.available(t.id("a"), Trees.CELL)).isEqualTo(10);
    tree.use(t.id("b"), Trees.CELL, 10);
    assertThat(tree.available(t.id("a"), Trees.CELL)).as("what was lent is gone").isEqualTo(6);
  }

  @Test
  void lendingLimitReservesTheRest() {
    Trees t =
        new Trees()
            .open("root", null)
            .limited("a", "root", 10L, null, 3L)
            .limited("b", "root", 6L, null, null);
    QuotaTree tree = t.build();
    assertThat(tree.guaranteed(t.id("a"), Trees.CELL)).isEqualTo(7);
    assertThat(tree.available(t.id("b"), Trees.CELL)).isEqualTo(9);

    tree.use(t.id("b"), Trees.CELL, 9);
    assertThat(tree.available(t.id("a"), Trees.CELL)).isEqualTo(7);
    tree.use(t.id("a"), Trees.CELL, 7);
    assertThat(tree.used(t.id("root"), Trees.CELL))
        .as("its own part is not counted above")
        .isEqualTo(9);
  }

  @Test
  void lendingLimitAboveTheQuotaReservesNothing() {
    Trees t = new Trees().open("root", null).limited("a", "root", 10L, null, 99L);

    assertThat(t.build().guaranteed(t.id("a"), Trees.CELL)).isZero();
  }

  @Test
  void quotaFlowsUpAndIsBorrowedDownThroughEveryLevel() {
    Trees t =
        new Trees()
            .open("root", null)
            .open("left", "root")
            .open("right", "root")
            .limited("a", "left", 4L, null, null)
            .limited("b", "right", 6L, null, null);
    QuotaTree tree = t.build();
    assertThat(tree.available(t.id("a"), Trees.CELL)).isEqualTo(10);

    tree.use(t.id("a"), Trees.CELL, 9);

    assertThat(tree.available(t.id("b"), Trees.CELL)).isEqualTo(1);
    assertThat(tree.used(t.id("left"), Trees.CELL)).isEqualTo(9);
    assertThat(tree.used(t.id("root"), Trees.CELL)).isEqualTo(9);
  }

  @Test
  void anInnerLimitCapsItsWholeSubtree() {
    Trees t =
        new Trees()
            .open("root", null)
            .limited("group", "root", 0L, 2L, null)
            .limited("a", "group", 4L, null, null)
            .limited("b", "root", 10L, null, null);
    QuotaTree tree = t.build();

    assertThat(tree.available(t.id("a"), Trees.CELL)).isEqualTo(6);
  }

  @Test
  void aTreeWithoutLimitsIsUnlimited() {
    Trees t = new Trees().open("root", null).open("q", "root");
    QuotaTree tree = t.build();

    tree.use(t.id("q"), Trees.CELL, 1_000_000);

    assertThat(tree.available(t.id("q"), Trees.CELL)).isEqualTo(Saturating.UNLIMITED);
    assertThat(tree.used(t.id("root"), Trees.CELL)).isZero();
  }

  @Test
  void unlimitedQueueDoesNotMakeItsSiblingsUnlimited() {
    Trees t =
        new Trees().open("root", null).open("free", "root").limited("q", "root", 4L, null, null);
    QuotaTree tree = t.build();

    assertThat(tree.available(t.id("q"), Trees.CELL)).isEqualTo(4);
    assertThat(tree.available(t.id("free"), Trees.CELL)).isEqualTo(Saturating.UNLIMITED);
    tree.use(t.id("free"), Trees.CELL, 100);
    assertThat(tree.available(t.id("q"), Trees.CELL)).isEqualTo(4);
  }

  @Test
  void queueWithoutLimitsBelowALimitedNodeBorrowsEverything() {
    Trees t = new Trees().limited("root", null, 8L, null, null).open("q", "root");
    QuotaTree tree = t.build();
    assertThat(tree.nominal(t.id("q"), Trees.CELL)).isZero();

    tree.use(t.id("q"), Trees.CELL, 5);

    assertThat(tree.available(t.id("q"), Trees.CELL)).isEqualTo(3);
    assertThat(tree.borrowed(t.id("q"), Trees.CELL)).isEqualTo(5);
  }

  @Test
  void anAbsentNominalIsUnlimitedAndAnAbsentFlavorIsNothing() {
    Trees t = new Trees().limited("unlimited", null, null, null, null).elsewhere("other", null);
    QuotaTree tree = t.build();

    assertThat(tree.available(t.id("unlimited"), Trees.CELL)).isEqualTo(Saturating.UNLIMITED);
    assertThat(tree.available(t.id("other"), Trees.CELL)).isZero();
  }

  @Test
  void unlimitedQueueLendsUpToItsLendingLimit() {
    Trees t =
        new Trees()
            .open("root", null)
            .limited("rich", "root", null, null, 3L)
            .limited("q", "root", 1L, null, null);

    assertThat(t.build().available(t.id("q"), Trees.CELL)).isEqualTo(4);
  }

  @Test
  void reducedQuotaLeavesANegativeRemainder() {
    Trees before = new Trees().limited("q", null, 10L, null, null);
    Trees after = new Trees().limited("q", null, 4L, null, null);
    QuotaTree used = before.build();
    used.use(before.id("q"), Trees.CELL, 9);

    QuotaTree shrunk = new QuotaTree(List.of(nodeOf(after)), used.uses());

    assertThat(shrunk.available(after.id("q"), Trees.CELL)).isEqualTo(-5);
    assertThat(shrunk.refusing(after.id("q"), Trees.CELL, 1)).isEqualTo(nodeOf(after));
  }

  @Test
  void rejectingNodeIsNamed() {
    Trees t = team();
    QuotaTree tree = t.build();

    assertThat(tree.refusing(t.id("a"), Trees.CELL, 16)).isNull();
    assertThat(tree.refusing(t.id("a"), Trees.CELL, 17).name()).isEqualTo("root");

    Trees capped =
        new Trees()
            .open("root", null)
            .limited("a", "root", 1L, 0L, null)
            .limited("b", "root", 9L, null, null);
    assertThat(capped.build().refusing(capped.id("a"), Trees.CELL, 2).name()).isEqualTo("a");
  }

  @Test
  void unknownQueueHasNoQuota() {
    QuotaTree tree = team().build();
    QuotaNodeId unknown = new QuotaNodeId(new UUID(9, 9));

    assertThat(tree.available(unknown, Trees.CELL)).isZero();
    assertThat(tree.path(unknown)).isEmpty();
  }

  @Test
  void queueWithAMissingAncestorAdmitsNothing() {
    // Fails when the node below the gap counts as a root.
    Trees open = new Trees().open("root", null).open("group", "root").open("q", "group");
    Trees limited = new Trees().open("root", null).limited("q", "root", 10L, null, null);

    for (String missing : List.of("root", "group")) {
      assertThat(without(open, missing).admits(open.id("q"), Trees.CELL, 1, false)).isFalse();
    }
    assertThat(without(limited, "root").available(limited.id("q"), Trees.CELL)).isZero();
    assertThat(open.build().admits(open.id("q"), Trees.CELL, 1, false)).isTrue();
  }

  private static QuotaTree without(Trees trees, String missing) {
    return new QuotaTree(
        trees.all().stream().filter(node -> !node.name().equals(missing)).toList(), List.of());
  }

  @Test
  void aPathLeadsFromTheQueueToTheRoot() {
    Trees t = new Trees().open("root", null).open("group", "root").open("q", "group");

    assertThat(t.build().path(t.id("q")))
        .extracting(QuotaNode::name)
        .containsExactly("q", "group", "root");
  }

  /** Two queues of 10 and 6 that share everything. */
  /** Zero is a limit: no own quota, only borrowed quota. */
  @Test
  void queueWithNominalZeroMayBorrow() {
    Trees t =
        new Trees()
            .open("root", null)
            .limited("none", "root", 0L, null, null)
            .limited("owner", "root", 6L, null, null);
    QuotaTree tree = t.build();

    assertThat(tree.nominal(t.id("none"), Trees.CELL)).isZero();
    assertThat(tree.available(t.id("none"), Trees.CELL)).isEqualTo(6);
    tree.use(t.id("none"), Trees.CELL, 2);
    assertThat(tree.borrowed(t.id("none"), Trees.CELL)).isEqualTo(2);
  }

  /** Zero lends nothing, an absent value lends everything. */
  @Test
  void lendingLimitOfZeroReservesEverything() {
    Trees t =
        new Trees()
            .open("root", null)
            .limited("keeps", "root", 6L, null, 0L)
            .limited("asks", "root", 0L, null, null);

    assertThat(t.build().available(t.id("asks"), Trees.CELL)).isZero();
    assertThat(t.build().guaranteed(t.id("keeps"), Trees.CELL)).isEqualTo(6);
  }

  /** Two limits with a sum beyond a long: saturated, never wrapped to a negative one. */
  @Test
  void sumsBeyondALongSaturate() {
    long huge = Long.MAX_VALUE - 1;
    Trees t =
        new Trees()
            .open("root", null)
            .limited("a", "root", huge, huge, null)
            .limited("b", "root", huge, huge, null);
    QuotaTree tree = t.build();

    assertThat(tree.subtreeQuota(t.id("root"), Trees.CELL)).isEqualTo(Saturating.UNLIMITED);
    assertThat(tree.available(t.id("a"), Trees.CELL)).isPositive();
    tree.use(t.id("a"), Trees.CELL, huge);
    tree.use(t.id("a"), Trees.CELL, huge);
    assertThat(tree.used(t.id("a"), Trees.CELL)).isEqualTo(Long.MAX_VALUE);
  }

  /** More released than used: a negative use, which others may not spend twice. */
  @Test
  void negativeUseAddsNoQuotaForOthers() {
    Trees t =
        new Trees()
            .open("root", null)
            .limited("a", "root", 4L, null, 0L)
            .limited("b", "root", 4L, null, null);
    QuotaTree tree = t.build();

    tree.free(t.id("a"), Trees.CELL, 3);

    assertThat(tree.used(t.id("a"), Trees.CELL)).isEqualTo(-3);
    assertThat(tree.available(t.id("b"), Trees.CELL)).isEqualTo(4);
  }

  /** Fails when non-preemptible use is compared with the available quota. */
  @Test
  void nonPreemptibleUseIsNominalAndNeverBorrows() {
    Trees t = team();
    QuotaTree tree = t.build();
    QuotaNodeId b = t.id("b");

    assertThat(tree.admits(b, Trees.CELL, 7, true)).isFalse();
    assertThat(tree.admits(b, Trees.CELL, 7, false)).isTrue();
    tree.use(b, Trees.CELL, 9, false);
    assertThat(tree.admits(b, Trees.CELL, 6, true)).isTrue();
    tree.use(b, Trees.CELL, 6, true);
    assertThat(tree.nonPreemptibleRoom(b, Trees.CELL)).isZero();
    tree.free(b, Trees.CELL, 6, true);
    assertThat(tree.nonPreemptible(b, Trees.CELL)).isZero();
  }

  /** Quota of the group itself: quota that other queues lend to it could not be returned. */
  @Test
  void nonPreemptibleJobsOfAQueueWithoutLimitsUseTheNominalQuotaOfTheGroupAbove() {
    Trees t =
        new Trees()
            .open("root", null)
            .limited("group", "root", 4L, null, null)
            .limited("owner", "group", 8L, null, null)
            .open("guest", "group");
    QuotaTree tree = t.build();

    assertThat(tree.available(t.id("guest"), Trees.CELL)).isEqualTo(12);
    assertThat(tree.nonPreemptibleRoom(t.id("guest"), Trees.CELL)).isEqualTo(4);
    tree.use(t.id("guest"), Trees.CELL, 4, true);
    assertThat(tree.nonPreemptible(t.id("group"), Trees.CELL)).isEqualTo(4);
    assertThat(tree.nonPreemptibleRoom(t.id("owner"), Trees.CELL)).isEqualTo(8);
  }

  @Test
  void unlimitedResourceBoundsNoNonPreemptibleUseAndIsNotCounted() {
    Trees t = new Trees().open("root", null).open("a", "root");
    QuotaTree tree = t.build();

    tree.use(t.id("a"), Trees.CELL, 5, true);

    assertThat(tree.nonPreemptibleRoom(t.id("a"), Trees.CELL)).isEqualTo(Saturating.UNLIMITED);
    assertThat(tree.uses()).allMatch(use -> use.nonPreemptible() == 0);
  }

  /** A reduced quota leaves current use running and admits no more non-preemptible use. */
  @Test
  void nonPreemptibleUseAboveAShrunkQuotaAdmitsNothing() {
    Trees t = team();
    QuotaTree before = t.build();
    before.use(t.id("b"), Trees.CELL, 6, true);
    Trees shrunk =
        new Trees()
            .open("root", null)
            .limited("a", "root", 10L, null, null)
            .limited("b", "root", 2L, null, null);
    QuotaTree tree = new QuotaTree(shrunk.all(), before.uses());

    assertThat(tree.nonPreemptibleRoom(t.id("b"), Trees.CELL)).isEqualTo(-4);
    assertThat(tree.admits(t.id("b"), Trees.CELL, 1, true)).isFalse();
    assertThat(tree.admits(t.id("b"), Trees.CELL, 1, false)).isTrue();
    assertThat(tree.nonPreemptibleRoom(t.id("a"), Trees.CELL)).isEqualTo(10);
  }

  private static Trees team() {
    return new Trees()
        .open("root", null)
        .limited("a", "root", 10L, null, null)
        .limited("b", "root", 6L, null, null);
  }

  private static QuotaNode nodeOf(Trees trees) {
    return trees.all().iterator().next();
  }
}
