package dev.fairlead.integration;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Specs;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Random operations on the stores of an installation. The same seed gives the same script. */
final class Script {
  private static final List<FailureCause> CAUSES =
      List.of(FailureCause.NODE_FAILURE, FailureCause.USER_ERROR, FailureCause.PLACEMENT_CONFLICT);
  private static final List<NodeState> STATES =
      List.of(NodeState.ACTIVE, NodeState.DRAINING, NodeState.QUARANTINED);
  private static final int NAMES = 12;

  private final RandomGenerator chance;

  Script(RandomGenerator chance) {
    this.chance = chance;
  }

  /** One operation, with everything drawn that it needs. */
  record Step(String name, Work work) {}

  /** The effect of a step on one side. */
  @FunctionalInterface
  interface Work {
    void on(Side side);
  }

  List<Step> steps(int count) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      steps.add(step());
    }
    return steps;
  }

  private Step step() {
    int number = chance.nextInt(1_000_000);
    int other = chance.nextInt(1_000_000);
    String node = "node-" + (1 + chance.nextInt(2));
    return switch (chance.nextInt(20)) {
      case 0, 1, 2, 3 -> submit();
      case 4, 5, 6 -> new Step("place " + number + " on " + node, s -> s.place(number, node));
      case 7 -> race(number, other, node);
      case 8, 9 -> new Step("run " + number, s -> s.run(number));
      case 10 -> new Step("succeed " + number, s -> s.succeed(number));
      case 11 -> {
        FailureCause cause = CAUSES.get(chance.nextInt(CAUSES.size()));
        yield new Step("fail " + number + " " + cause, s -> s.fail(number, cause));
      }
      case 12 -> new Step("cancel " + number, s -> s.cancel(number));
      case 13 -> report();
      case 14 -> {
        boolean limited = chance.nextInt(4) > 0;
        long milli = chance.nextInt(20) * 1000L;
        yield new Step("limit " + limited + " " + milli, s -> s.limit(limits(limited, milli)));
      }
      case 15, 16 -> new Step("grow " + number + " on " + node, s -> s.grow(number, node));
      case 17 -> new Step("shrink " + number, s -> s.shrink(number));
      case 18 -> new Step("leave " + number, s -> s.leave(number));
      default -> rare(number, node);
    };
  }

  private Step submit() {
    String name = "job-" + chance.nextInt(NAMES);
    Specs spec = Specs.job(name);
    int kind = chance.nextInt(5);
    if (kind == 0) {
      spec.workers(2).minWorkers(1).gpus(1 + chance.nextInt(3));
    } else if (kind == 1) {
      spec.array("0-" + (1 + chance.nextInt(3)));
    } else if (kind == 2) {
      spec.gpu(GpuRequest.fraction(250 * (1 + chance.nextInt(3))));
    } else {
      spec.gpus(chance.nextInt(9));
    }
    return new Step("submit " + name, s -> s.submit(spec));
  }

  /** Both are planned on the same view of the node. */
  private static Step race(int one, int two, String node) {
    return new Step("race " + one + " " + two + " on " + node, s -> s.race(one, two, node));
  }

  private Step report() {
    List<NodeReport> reports = new ArrayList<>();
    for (String name : List.of("node-1", "node-2")) {
      NodeReports report = NodeReports.node(name).bootId("boot-" + chance.nextInt(2));
      switch (chance.nextInt(8)) {
        case 0 -> report.notReady();
        case 1 -> report.cordoned();
        case 2 -> report.gpu(chance.nextInt(8), GpuState.FAILED);
        case 3 -> report.foreign(ResourceVector.of(8_000, 1_024, 0, 3));
        case 4 -> report.gpus(4 + chance.nextInt(5));
        default -> {}
      }
      if (chance.nextInt(12) > 0) {
        reports.add(report.build());
      }
    }
    return new Step("report " + reports, s -> s.report(reports));
  }

  private Step rare(int number, String node) {
    return switch (chance.nextInt(4)) {
      case 0 -> {
        NodeState state = STATES.get(chance.nextInt(STATES.size()));
        yield new Step(node + " is " + state, s -> s.move(node, state));
      }
      case 1 -> new Step("stale change of " + number, s -> s.stale(number));
      case 2 -> new Step("late end of " + number, s -> s.endAgain(number));
      default -> new Step("two changes, then an error", s -> s.undone(number, node));
    };
  }

  private static List<QuotaLimit> limits(boolean limited, long milli) {
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    return limited ? List.of(new QuotaLimit(flavor, "gpu", milli, 0L, null)) : List.of();
  }
}
