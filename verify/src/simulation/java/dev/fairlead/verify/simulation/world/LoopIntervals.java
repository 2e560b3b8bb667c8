package dev.fairlead.verify.simulation.world;

import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.work.event.WakeUps;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The schedule of a loop's passes: as in production while anything changes, and otherwise ever more
 * rarely, like a slow process, but often enough to renew its lease. Quiet hours then cost little,
 * and the time is spent on busy hours.
 */
public final class LoopIntervals {
  private static final Duration SOON = Duration.ofMillis(20);
  private static final Duration PAUSE = Duration.ofMillis(500);

  /** The number of consecutive passes without a change that run at the usual pace. */
  private static final int USUAL = 3;

  private final Loop loop;
  private final VirtualTime time;
  private final Duration longest;
  private final Supplier<Turn> work;
  private final String name;
  private int quiet;
  private long due;
  private long number;

  /** The result of a pass. */
  public enum Turn {
    MORE,
    DONE,
    FAILED,
    DEAD
  }

  /**
   * @param longest sleep that does not lose the loop's lease
   * @param process owner of the loop, for the trace
   */
  public LoopIntervals(
      Loop loop, VirtualTime time, Duration longest, Supplier<Turn> work, String process) {
    this.loop = loop;
    this.time = time;
    this.longest = longest;
    this.work = work;
    this.name = process + " " + loop.name();
  }

  public void begin() {
    next(SOON);
  }

  /** A commit changed this, so a long sleeper wakes after its usual interval. */
  public void stir(WakeUps.Topic topic) {
    if (!loop.wakesOn().contains(topic)) {
      return;
    }
    quiet = 0;
    if (due - time.now() > loop.idle().toMillis()) {
      next(usual());
    }
  }

  private void next(Duration wait) {
    due = time.now() + wait.toMillis();
    long mine = ++number;
    time.in(
        wait,
        name,
        () -> {
          if (mine == number) {
            turn();
          }
        });
  }

  private void turn() {
    /* its own writes wake it */
    quiet++;
    due = time.now();
    switch (work.get()) {
      case DEAD -> {}
      case FAILED -> next(PAUSE);
      case MORE -> next(SOON);
      case DONE -> next(quiet > USUAL ? stretched() : usual());
    }
  }

  private Duration usual() {
    return time.between(loop.idle().dividedBy(2), loop.idle());
  }

  private Duration stretched() {
    Duration sleep = usual().multipliedBy(1L << Math.min(quiet - USUAL, 4));
    return sleep.compareTo(longest) < 0 ? sleep : longest;
  }
}
