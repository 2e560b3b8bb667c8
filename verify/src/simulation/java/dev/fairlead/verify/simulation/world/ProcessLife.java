package dev.fairlead.verify.simulation.world;

import java.time.Duration;
import java.util.List;

/**
 * The fate of one process between its outgoing calls: nothing, its end, or a pause in which the
 * world continues without it.
 */
public final class ProcessLife {
  private static final int DEEPEST = 2;
  private static final Duration LONGEST = Duration.ofSeconds(90);
  private static final List<Integer> LENGTHS = List.of(1, 6, 25, 90);

  private final VirtualTime time;
  private final FaultRates faults;
  private final String name;
  private final int[] pauses;
  private boolean alive = true;
  private boolean paused;

  /**
   * @param pauses number of paused processes, shared by all
   */
  public ProcessLife(String name, VirtualTime time, FaultRates faults, int[] pauses) {
    this.name = name;
    this.time = time;
    this.faults = faults;
    this.pauses = pauses;
  }

  public String name() {
    return name;
  }

  public boolean alive() {
    return alive;
  }

  /** Returns whether the process can run a pass or accept a request now. */
  public boolean responds() {
    return alive && !paused;
  }

  public FaultRates faults() {
    return faults;
  }

  /** The process ends and notices that at its next step. */
  public void end(String why) {
    if (alive) {
      alive = false;
      time.say(() -> name + " ends after " + why);
    }
  }

  /** Between two calls. */
  public void step(String where) {
    check();
    if (faults.strikes(Fault.CRASH)) {
      alive = false;
      time.say(() -> name + " crashes at " + where);
      throw new ProcessDied(where);
    }
    pause(Fault.PAUSE, LONGEST, where);
  }

  /** Between reading and planning, where a pause hurts most. */
  void planning() {
    step("plan");
    /* lasts as long as a garbage collection, another process's write, a takeover, or longer */
    int longest = LENGTHS.get((int) time.between(Duration.ZERO, Duration.ofMillis(3)).toMillis());
    pause(Fault.STALE_PLAN, Duration.ofSeconds(longest), "plan");
  }

  private void pause(Fault fault, Duration longest, String where) {
    if (!paused && pauses[0] < DEEPEST && faults.strikes(fault)) {
      Duration pause = time.between(Duration.ofMillis(100), longest);
      time.say(() -> name + " pauses " + pause + " at " + where);
      paused = true;
      pauses[0]++;
      time.run(pause);
      pauses[0]--;
      paused = false;
      time.say(() -> name + " resumes at " + where);
      check();
    }
  }

  /** A dead process does nothing, and no process does once the run has failed. */
  public void check() {
    if (!alive || time.failure() != null) {
      throw new ProcessDied("dead");
    }
  }
}
