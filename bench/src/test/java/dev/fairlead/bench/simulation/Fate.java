package dev.fairlead.bench.simulation;

import java.time.Duration;

/**
 * What happens to one process between the calls that leave it: nothing, its end, or a pause in
 * which the world goes on without it.
 */
final class Fate {
  private static final int DEEPEST = 2;

  private final Timetable time;
  private final Faults faults;
  private final String name;
  private final int[] pauses;
  private boolean alive = true;
  private boolean paused;

  /**
   * @param pauses how many processes stand still now, shared by all
   */
  Fate(String name, Timetable time, Faults faults, int[] pauses) {
    this.name = name;
    this.time = time;
    this.faults = faults;
    this.pauses = pauses;
  }

  String name() {
    return name;
  }

  boolean alive() {
    return alive;
  }

  /** Whether it can take a turn or a request now. */
  boolean responds() {
    return alive && !paused;
  }

  Faults faults() {
    return faults;
  }

  /** Between two calls. */
  void step(String where) {
    check();
    if (faults.strikes(Fault.CRASH)) {
      alive = false;
      time.say(() -> name + " crashes at " + where);
      throw new Crash(where);
    }
    if (!paused && pauses[0] < DEEPEST && faults.strikes(Fault.PAUSE)) {
      Duration pause = time.between(Duration.ofMillis(100), Duration.ofSeconds(90));
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

  /** The dead do nothing, nor does anyone once the run has failed. */
  void check() {
    if (!alive || time.failure() != null) {
      throw new Crash("dead");
    }
  }
}
