package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.List;

/** A journal of every change to the cycle's working copy. */
public final class Ledger {
  private final ArrayList<Undo> journal = new ArrayList<>();

  /** Returns a position for {@link #undo}. */
  public int mark() {
    return journal.size();
  }

  /** Undoes all changes since the mark, latest first. */
  public void undo(int mark) {
    while (journal.size() > mark) {
      journal.removeLast().run();
    }
  }

  /**
   * Removes all entries since the mark from the journal. Running the result undoes their changes.
   */
  public Undo cut(int mark) {
    List<Undo> since = List.copyOf(journal.subList(mark, journal.size()));
    journal.subList(mark, journal.size()).clear();
    return () -> since.reversed().forEach(Undo::run);
  }

  /** Allocates this many members, which must fit. */
  public void take(NodeCapacity capacity, MemberShape member, int members) {
    for (int i = 0; i < members; i++) {
      journal.add(NodeAllocation.take(capacity, member));
    }
  }

  /** Allocates one member, which must fit. */
  public void take(NodeChoice.Chosen choice, MemberShape member) {
    journal.add(
        choice.slot() < 0
            ? NodeAllocation.take(choice.capacity(), member)
            : NodeAllocation.take(choice.capacity(), member, choice.slot()));
  }

  /**
   * Makes all members since the mark neighbours of other jobs. Members of one job are placed
   * without this, because they are not neighbours of each other.
   */
  public void settle(int mark) {
    for (NodeAllocation member : since(mark)) {
      Undo left = member.settle();
      if (left != null) {
        journal.add(left);
      }
    }
  }

  /** Records an external change with its undo. */
  public void note(Undo undo) {
    journal.add(undo);
  }

  /** Returns the members that were allocated since the mark, in order. */
  public List<NodeAllocation> since(int mark) {
    List<NodeAllocation> taken = new ArrayList<>(journal.size() - mark);
    for (Undo undo : journal.subList(mark, journal.size())) {
      if (undo instanceof NodeAllocation t) {
        taken.add(t);
      }
    }
    return taken;
  }
}
