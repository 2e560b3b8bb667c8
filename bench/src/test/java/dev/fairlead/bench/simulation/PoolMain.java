package dev.fairlead.bench.simulation;

import dev.fairlead.bench.CoreTime;
import dev.fairlead.bench.replay.BadInput;
import dev.fairlead.bench.timelapse.trace.Arrival;
import dev.fairlead.bench.timelapse.trace.Trace;
import dev.fairlead.bench.timelapse.trace.Traces;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A public trace on three clusters, one policy beside the other. Options as {@code make
 * pool-replay} gives them; an empty value is that of an option that is not given. Ends with 1 when
 * a law does not hold, 2 for arguments or files that cannot be used.
 */
public final class PoolMain {
  private static final String PRICES = "1.10/2.49/1.40,1.90/2.49/0.90";
  private final Map<String, String> given = new TreeMap<>();

  private PoolMain() {}

  public static void main(String[] arguments) {
    PoolMain main = new PoolMain();
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      main.given.put(arguments[i], arguments[i + 1].strip());
    }
    SimulationMain.quiet();
    try {
      System.exit(main.run() ? 0 : 1);
    } catch (BadInput bad) {
      System.err.println("pool-replay: " + bad.getMessage());
      System.exit(2);
    }
  }

  private boolean run() {
    String name = text("--trace").isEmpty() ? "philly" : text("--trace");
    Trace trace = smaller(Traces.read(name, Traces.directory(), path("--file"), path("--nodes")));
    boolean good = true;
    String sets = text("--prices").isEmpty() ? PRICES : text("--prices");
    for (String set : sets.split(",")) {
      PoolPlan plan =
          PoolPlan.of(
              trace,
              prices(set),
              duration("--spot-after", Duration.ofMinutes(2)),
              duration("--on-demand-after", Duration.ofMinutes(10)),
              duration("--reclaimed", Duration.ofHours(24)),
              number("--seed", 1));
      good &= played(trace.name(), plan);
    }
    return good;
  }

  private static boolean played(String trace, PoolPlan plan) {
    CoreTime cores = new CoreTime();
    cores.go();
    List<PoolRecord> records =
        Arrays.stream(PoolPolicy.values()).map(policy -> PoolReplay.run(plan, policy)).toList();
    cores.stop();
    long hours = records.stream().mapToLong(PoolRecord::hours).max().orElse(0);
    System.out.printf(
        "%s, seed %d: %d jobs (%d more are too large), %d reserved, %d on-demand and %d spot GPUs,"
            + " %d h%n",
        trace,
        plan.seed(),
        plan.jobs().size(),
        plan.leftOut(),
        plan.gpus(CapacityType.RESERVED),
        plan.gpus(CapacityType.ON_DEMAND),
        plan.gpus(CapacityType.SPOT),
        hours);
    System.out.printf(
        "a GPU-hour: reserved %s, on-demand %s, spot %s%n",
        plan.prices().reserved().text(),
        plan.prices().onDemand().text() + " (later " + plan.prices().later().text() + ")",
        plan.prices().spot().text());
    System.out.println(PoolRecord.heading());
    boolean good = true;
    for (PoolRecord record : records) {
      System.out.println(record.row(hours));
      System.out.println(record.bought());
      List<String> broken = record.broken();
      broken.stream().limit(10).forEach(line -> System.out.println("  BROKEN: " + line));
      good &= broken.isEmpty();
    }
    System.out.printf("played in %.1f s of one core%n%n", cores.nanos() / 1e9);
    return good;
  }

  private Trace smaller(Trace trace) {
    int shrink = Math.max(1, number("--shrink", 16));
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < trace.nodes().size(); i += shrink) {
      nodes.add(trace.nodes().get(i));
    }
    long until = Duration.ofHours(number("--hours", 999_999)).toSeconds();
    List<Arrival> all =
        trace.jobs().stream()
            .filter(job -> job.gpuMilli() > 0)
            .skip(number("--from", 0))
            .limit(Math.max(1, number("--most", 500)))
            .toList();
    if (all.isEmpty()) {
      throw new BadInput("FROM: the trace has only " + trace.jobs().size() + " jobs");
    }
    long longest = duration("--max-run", Duration.ofHours(12)).toSeconds();
    long begin = all.getFirst().submitted();
    List<Arrival> jobs =
        all.stream()
            .filter(job -> job.submitted() - begin < until)
            .map(job -> job.since(begin).atMost(longest))
            .toList();
    return new Trace(trace.name(), nodes, trace.weights(), jobs);
  }

  private static PoolPlan.Prices prices(String set) {
    String[] each = set.split("/", -1);
    if (each.length != 3
        || !Arrays.stream(each).allMatch(p -> p.matches("[0-9]{1,3}(\\.[0-9]{1,3})?"))) {
      throw new BadInput(
          "PRICES: expected reserved/on-demand/spot such as 1.10/2.49/0.90, with commas between"
              + " sets, found \""
              + set
              + "\"");
    }
    long[] milli =
        Arrays.stream(each).mapToLong(p -> Math.round(Double.parseDouble(p) * 1000)).toArray();
    return PoolPlan.Prices.of(milli[0], milli[1], milli[2]);
  }

  private String text(String option) {
    return given.getOrDefault(option, "");
  }

  private @Nullable Path path(String option) {
    return text(option).isEmpty() ? null : Path.of(text(option));
  }

  private int number(String option, int absent) {
    String text = text(option);
    if (!text.isEmpty() && !text.matches("[0-9]{1,6}")) {
      throw wrong(option, "a whole number, 0 to 999999", text);
    }
    return text.isEmpty() ? absent : Integer.parseInt(text);
  }

  private Duration duration(String option, Duration absent) {
    String text = text(option);
    if (!text.isEmpty() && DurationText.parse(text).isEmpty()) {
      throw wrong(option, "a duration such as 15m", text);
    }
    return text.isEmpty() ? absent : DurationText.parse(text).orElse(absent);
  }

  private static BadInput wrong(String option, String expected, String found) {
    return new BadInput("%s: expected %s, found \"%s\"".formatted(option, expected, found));
  }
}
