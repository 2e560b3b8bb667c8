package dev.fairlead.work.placement.ledger;

/** Takes one change back; called at most once, latest change first. */
@FunctionalInterface
public interface Undo {
  void run();
}
