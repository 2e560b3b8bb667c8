package dev.fairlead.bench.chaos;

/**
 * Arguments of {@code make chaos}.
 *
 * @param kills processes that are killed. Half as many are paused or cut off, and at least four
 * @param submits jobs in all
 * @param seed of the order of faults and of the jobs
 * @param production leases as in production instead of short ones. Then only replicas are killed,
 *     because only takeovers are measured
 * @param older directory of a built older version. Both replicas are upgraded from it and
 *     downgraded again, instead of all faults, empty for none
 */
record ChaosArguments(int kills, int submits, long seed, boolean production, String older) {
  static final String USAGE =
      "chaos KILLS SUBMITS [SEED [production|/OLDER/TREE]], for example 12 4000 1";
  private static final String PRODUCTION = "production";
  private static final int MOST_KILLS = 10_000;
  private static final int MOST_SUBMITS = 1_000_000;
  private static final int MANY_SUBMITS = 1_000;
  private static final int FEW_NODES = 8;
  private static final int NODES = 24;

  /**
   * @throws IllegalArgumentException naming the argument, its value and the expected one
   */
  static ChaosArguments parse(String... args) {
    String last = args.length == 4 ? args[3] : "";
    boolean production = last.equals(PRODUCTION);
    boolean older = last.startsWith("/");
    if (args.length < 2 || args.length > 4 || !last.isEmpty() && !production && !older) {
      throw new IllegalArgumentException("usage: " + USAGE);
    }
    return new ChaosArguments(
        (int) number("KILLS", args[0], MOST_KILLS),
        (int) number("SUBMITS", args[1], MOST_SUBMITS),
        args.length >= 3 ? number("SEED", args[2], Long.MAX_VALUE) : 1,
        production,
        older ? last : "");
  }

  /** Nodes of each control plane: fewer for few jobs, because each node renews a lease. */
  int nodes() {
    return submits < MANY_SUBMITS ? FEW_NODES : NODES;
  }

  /** Describes the events of the run. */
  String done() {
    return older.isEmpty()
        ? kills + " kills, " + (production ? 0 : Fault.pauses(kills)) + " pauses and cuts"
        : "two replicas upgraded and taken back";
  }

  private static long number(String name, String text, long most) {
    try {
      long number = Long.parseLong(text.strip());
      if (number >= 1 && number <= most) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(wrong(name, text, most), notANumber);
    }
    throw new IllegalArgumentException(wrong(name, text, most));
  }

  private static String wrong(String name, String text, long most) {
    return name + ": expected a whole number of 1 to " + most + ", found \"" + text + "\"";
  }
}
