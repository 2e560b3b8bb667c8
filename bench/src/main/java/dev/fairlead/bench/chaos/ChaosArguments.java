package dev.fairlead.bench.chaos;

/**
 * What {@code make chaos} passes.
 *
 * @param kills processes that are killed; half as many are paused or cut off
 * @param submits jobs in all
 * @param seed of the order of faults and of the jobs
 * @param production leases as in production instead of short ones; then nothing but replicas is
 *     killed, since all that is asked is who acts how soon
 */
record ChaosArguments(int kills, int submits, long seed, boolean production) {
  static final String USAGE = "chaos KILLS SUBMITS [SEED [production]], for example 12 4000 1";
  private static final int MOST_KILLS = 10_000;
  private static final int MOST_SUBMITS = 1_000_000;

  /**
   * @throws IllegalArgumentException naming the argument, what was found and what was expected
   */
  static ChaosArguments parse(String... args) {
    boolean production = args.length == 4 && args[3].equals("production");
    if (args.length < 2 || args.length > 3 && !production && !args[3].isEmpty()) {
      throw new IllegalArgumentException("usage: " + USAGE);
    }
    return new ChaosArguments(
        (int) number("KILLS", args[0], MOST_KILLS),
        (int) number("SUBMITS", args[1], MOST_SUBMITS),
        args.length >= 3 ? number("SEED", args[2], Long.MAX_VALUE) : 1,
        production);
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
