package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.List;

/** Journal of every change of the cycle's working copy. */
public final class Ledger {
  private final ArrayList<Undo> journal = new ArrayList<>();

  /** A point to come back to. */
  public int mark() {
    return journal.size();
  }

  /** Takes back everything since the mark, latest first. */
  public void undo(int mark) {
    while (journal.size() > mark) {
      journal.removeLast().run();
    }
  }

  /** Forgets everything since the mark, and gives it back when the result is run. */
  public Undo cut(int mark) {
    List<Undo> since = List.copyOf(journal.subList(mark, journal.size()));
    journal.subList(mark, journal.size()).clear();
    return () -> since.reversed().forEach(Undo::run);
  }

  /** Allocates that many members, which must fit. */
  public void take(NodeCapacity capacity, MemberShape member, int members) {
    for (int i = 0; i < members; i++) {
      journal.add(NodeAllocation.take(capacity, member));
    }
  }

  /** Takes room for one member, which must fit there. */
  public void take(NodeChoice.Chosen choice, MemberShape member) {
    journal.add(
        choice.slot() < 0
            ? NodeAllocation.take(choice.capacity(), member)
            : NodeAllocation.take(choice.capacity(), member, choice.slot()));
  }

  /** Notes a change that was made elsewhere and how to take it back. */
  public void note(Undo undo) {
    journal.add(undo);
  }

  /** Members taken since the mark, in the order in which they were taken. */
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
