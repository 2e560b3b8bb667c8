package dev.fairlead.work.placement.node;

/** Undoes one change. Called at most once, latest change first. */
@FunctionalInterface
public interface Undo {
  void run();
}
