package dev.fairlead.verify.faults.chaos;

import dev.fairlead.verify.Arguments;
import java.util.List;

/**
 * Arguments of {@code make chaos}.
 *
 * @param kills processes that are killed. Half as many are paused or cut off, and at least four
 * @param submits jobs in all
 * @param seed seed of the order of faults and of the jobs
 * @param production leases as in production instead of short ones. Then only replicas are killed,
 *     because only takeovers are measured
 * @param older directory of a built older version. Older version for an upgrade and a downgrade of
 *     both replicas instead of faults, empty for faults
 */
record ChaosArguments(int kills, int submits, long seed, boolean production, String older) {
  private static final String PRODUCTION = "production";
  private static final int MOST_KILLS = 10_000;
  private static final int MOST_SUBMITS = 1_000_000;
  private static final int MANY_SUBMITS = 1_000;
  private static final int FEW_NODES = 8;
  private static final int NODES = 24;

  /** Reads the arguments. */
  static ChaosArguments of(Arguments arguments) {
    return new ChaosArguments(
        arguments.number("kills", 12, 1, MOST_KILLS),
        arguments.number("submits", 1_500, 1, MOST_SUBMITS),
        arguments.number("chaos-seed", 1L, 1, Long.MAX_VALUE),
        !arguments.text("leases").isEmpty()
            && arguments.some("leases", List.of(PRODUCTION)).contains(PRODUCTION),
        arguments.text("older"));
  }

  /** Nodes of each control plane: fewer for few jobs, because each node renews a lease. */
  int nodes() {
    return submits < MANY_SUBMITS ? FEW_NODES : NODES;
  }

  /** Describes the events of the run. */
  String done() {
    return older.isEmpty()
        ? kills + " kills, " + (production ? 0 : Fault.pauses(kills)) + " pauses and cuts"
        : "two replicas upgraded and rolled back";
  }
}
