package dev.fairlead.kernel.transaction;

/**
 * Marks threads of loops. Their transactions have separate connections. Every other thread counts
 * as a request thread: a forgotten thread waits behind requests, and does not use connections of
 * loops.
 */
public final class LoopWork {
  private static final ScopedValue<Boolean> HERE = ScopedValue.newInstance();

  private LoopWork() {}

  /** Runs work of a loop on this thread. */
  public static void run(Runnable work) {
    ScopedValue.where(HERE, true).run(work);
  }

  /** Returns whether this thread runs work of a loop. */
  public static boolean isHere() {
    return HERE.isBound();
  }
}
