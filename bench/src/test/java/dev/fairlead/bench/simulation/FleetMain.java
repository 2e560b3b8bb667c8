package dev.fairlead.bench.simulation;

import dev.fairlead.bench.CoreTime;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.spec.GangRepairSpec;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * A large training run with its published failures, and the same seed with a gang that is repaired
 * and without what Fairlead does for it. Options as {@code make fleet-replay} gives them; an empty
 * value is that of an option that is not given. Ends with 1 when a job was stopped that no fault
 * touched or the breaker did not hold, 2 for arguments that cannot be used.
 */
public final class FleetMain {
  private static final int STORM = 40;
  private static final int REPLACED = 20;
  private static final int MOST_QUARANTINED = 50;
  private final Map<String, String> given = new TreeMap<>();

  private FleetMain() {}

  public static void main(String[] arguments) {
    FleetMain main = new FleetMain();
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      main.given.put(arguments[i], arguments[i + 1].strip());
    }
    SimulationMain.quiet();
    System.exit(main.run() ? 0 : 1);
  }

  private boolean run() {
    int gpus = number("--gpus", FailureKind.GPUS);
    int nodes = gpus / FleetPlan.GPUS_PER_NODE;
    FleetPlan plan =
        FleetPlan.of(
            gpus,
            Duration.ofHours(number("--hours", 24)),
            duration("--checkpoint", Duration.ofMinutes(15)),
            number("--spares", Math.max(1, nodes * 40 / 2048)),
            number("--seed", 1));
    boolean good = played("replay", plan);
    boolean controls = text("--controls").equals("1");
    int replaces = number("--gang-repair", controls ? REPLACED : 0);
    if (replaces > GangRepairSpec.MOST) {
      wrong("--gang-repair", "0 to " + GangRepairSpec.MOST, text("--gang-repair"));
    }
    if (replaces > 0) {
      Duration resume = duration("--resume", Duration.ofSeconds(8));
      FleetPlan repaired = plan.withGangRepair(replaces, resume);
      good &= played("gang repair", repaired);
      good &= played("gang repair, new members start at once", repaired.withWarmSpares());
    }
    if (controls) {
      good &= played("no spares", plan.withoutSpares());
      good &= played("no fault reservations", plan.withoutFaultReservations());
      good &= played("neither", plan.withoutSpares().withoutFaultReservations());
      good &= played("retries of a job that says nothing", plan.withDefaultRetries());
      good &= played("storm of " + STORM + " % of the nodes", plan.withStorm(STORM));
    }
    return good;
  }

  private static boolean played(String title, FleetPlan plan) {
    CoreTime cores = new CoreTime();
    long began = System.nanoTime();
    cores.go();
    FleetRecord record = FleetReplay.run(plan);
    cores.stop();
    System.out.print(record.text(title));
    System.out.printf(
        "  played in %.1f s, %.1f s of them on a core%n",
        seconds(System.nanoTime() - began), seconds(cores.nanos()));
    return record.stoppedOutside() == 0 && record.mostQuarantined() <= MOST_QUARANTINED;
  }

  private static double seconds(long nanos) {
    return Duration.ofNanos(nanos).toMillis() / 1000.0;
  }

  private String text(String option) {
    return given.getOrDefault(option, "");
  }

  private int number(String option, int absent) {
    String text = text(option);
    if (!text.isEmpty() && !text.matches("[0-9]{1,6}")) {
      wrong(option, "a whole number, 0 to 999999", text);
    }
    return text.isEmpty() ? absent : Integer.parseInt(text);
  }

  private Duration duration(String option, Duration absent) {
    String text = text(option);
    if (!text.isEmpty() && DurationText.parse(text).isEmpty()) {
      wrong(option, "a duration such as 15m", text);
    }
    return text.isEmpty() ? absent : DurationText.parse(text).orElse(absent);
  }

  private static void wrong(String option, String expected, String found) {
    System.err.println(
        "fleet-replay: %s: expected %s, found \"%s\"".formatted(option, expected, found));
    System.exit(2);
  }
}
