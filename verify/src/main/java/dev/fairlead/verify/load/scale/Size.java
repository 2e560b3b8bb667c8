package dev.fairlead.verify.load.scale;

import dev.fairlead.verify.Arguments;
import java.time.Duration;

/**
 * Size of the load. Running jobs take {@link #STAY}, so in the steady state as many jobs end per
 * second as are submitted.
 *
 * @param nodes nodes of 8 GPUs
 * @param running jobs of one GPU
 * @param queued jobs that wait for quota
 * @param perSecond submits in a second, and ends
 * @param filling shortest run time of the initial jobs, which covers their placement
 */
record Size(int nodes, int running, int queued, int perSecond, Duration filling) {
  /** 60,000 running jobs with 200 ends in a second. */
  static final Duration STAY = Duration.ofMinutes(5);

  private static final double QUICK = 0.02;
  private static final int NODES = 10_000;
  private static final int QUEUED = 100_000;
  private static final int RUNNING = 60_000;

  /** Assumed starts per second at the beginning. */
  private static final int FILL_RATE = 200;

  private static final Duration SHORTEST_FILL = Duration.ofSeconds(20);

  /** Returns the size by SCALE, 0.01 to 1 for the whole load. */
  static Size of(Arguments arguments) {
    return of(arguments.has("quick") ? QUICK : arguments.fraction("scale", 1, 0.01, 1));
  }

  private static Size of(double part) {
    int running = (int) Math.round(RUNNING * part);
    Duration filling = Duration.ofSeconds(running / FILL_RATE);
    return new Size(
        (int) Math.round(NODES * part),
        running,
        (int) Math.round(QUEUED * part),
        (int) Math.ceilDiv(running, STAY.toSeconds()),
        filling.compareTo(SHORTEST_FILL) < 0 ? SHORTEST_FILL : filling);
  }

  /**
   * Run time of an initial job: all run when the fleet is full, and then end one after the other.
   *
   * @param number from 0, below {@link #running}
   */
  Duration firstRun(int number) {
    long place = (number * 7_919L) % running; // a prime stride spreads neighbours over the time
    return filling.plusMillis(STAY.toMillis() * place / running);
  }
}
