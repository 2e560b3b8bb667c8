package dev.fairlead.bench.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.fairlead.bench.simulation.Simulation.Trouble;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.LoggerFactory;

/**
 * {@code --minutes n} runs seeds for so long, one minute unless told; {@code --seed n} replays one
 * and prints its end; {@code --restarts n} replays one without faults, then with a restart after
 * every event, and prints the end of that and what differs; {@code --from n} is the first seed. An
 * empty value is that of an option that is not given. Ends with 1 when an invariant broke, 2 for
 * arguments that cannot be used.
 */
public final class SimulationMain {
  private static final int SHOWN = 120;

  private SimulationMain() {}

  public static void main(String[] arguments) {
    Map<String, String> given = new TreeMap<>();
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      given.put(arguments[i], arguments[i + 1].strip());
    }
    quiet();
    if (!given.getOrDefault("--restarts", "").isEmpty()) {
      System.exit(restarts(number(given, "--restarts", "RESTARTS")) ? 0 : 1);
    }
    boolean good =
        given.getOrDefault("--seed", "").isEmpty()
            ? many(
                number(given, "--from", "FROM_SEED"),
                Duration.ofMinutes(number(given, "--minutes", "MINUTES")))
            : one(number(given, "--seed", "SEED"));
    System.exit(good ? 0 : 1);
  }

  /** One where it is not given. */
  private static long number(Map<String, String> given, String option, String name) {
    String text = given.getOrDefault(option, "");
    if (!text.isEmpty() && !text.matches("[0-9]{1,9}")) {
      System.err.println(
          "sim: " + name + ": expected a whole number, 0 to 999999999, found \"" + text + "\"");
      System.exit(2);
    }
    return text.isEmpty() ? 1 : Long.parseLong(text);
  }

  static void quiet() {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
  }

  private static boolean one(long seed) {
    return shown(Simulation.run(seed, Set.of(), true));
  }

  private static boolean restarts(long seed) {
    Simulation.Result calm = Simulation.run(seed, Trouble.NONE, Set.of(), false);
    Simulation.Result restarted = Simulation.run(seed, Trouble.RESTARTS, Set.of(), true);
    boolean good = shown(restarted) && calm.failure() == null;
    System.out.println(
        restarted.restarts()
            + " restarts, without them: "
            + Objects.toString(calm.failure(), "held"));
    Set<String> names = new TreeSet<>(calm.outcomes().keySet());
    names.addAll(restarted.outcomes().keySet());
    for (String name : names) {
      String without = calm.outcomes().get(name);
      String with = restarted.outcomes().get(name);
      good &= Objects.equals(without, with);
      System.out.println(
          name
              + ": "
              + without
              + (Objects.equals(without, with) ? "" : ", with restarts: " + with));
    }
    return good;
  }

  private static boolean shown(Simulation.Result result) {
    int skip = Math.max(0, result.trace().size() - SHOWN);
    result.trace().stream().skip(skip).forEach(System.out::println);
    System.out.println(
        "seed %d: %d events, %s simulated, faults %s"
            .formatted(result.seed(), result.events(), result.simulated(), result.faults()));
    Throwable failure = result.failure();
    if (failure != null) {
      failure.printStackTrace(System.out);
    }
    return failure == null;
  }

  private static boolean many(long from, Duration wall) {
    long end = System.nanoTime() + wall.toNanos();
    Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    Duration simulated = Duration.ZERO;
    long events = 0;
    long checks = 0;
    long jobs = 0;
    int failed = 0;
    long seed = from;
    for (; System.nanoTime() < end; seed++) {
      Simulation.Result result = Simulation.run(seed);
      result.faults().forEach((fault, n) -> faults.merge(fault, n, Integer::sum));
      simulated = simulated.plus(result.simulated());
      events += result.events();
      checks += result.checks();
      jobs += result.jobs();
      Throwable failure = result.failure();
      if (failure != null) {
        failed++;
        String text = failure.toString();
        System.out.println(
            "seed %d event %d: %s"
                .formatted(seed, result.events(), text.substring(0, Math.min(300, text.length()))));
        System.out.println("  replay with: make sim SEED=" + seed);
      }
    }
    System.out.println(
        "seeds %d to %d, %.1f simulated hours, %,d events, %,d jobs, %,d invariant checks"
            .formatted(from, seed - 1, simulated.toMillis() / 3.6e6, events, jobs, checks));
    System.out.println("faults " + faults);
    System.out.println(failed == 0 ? "every invariant held" : failed + " seeds failed");
    return failed == 0;
  }
}
