package dev.fairlead.verify.engine.timelapse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.Hardware;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TimelapseTest {
  private final List<Arrival> jobs = new ArrayList<>();

  @Test
  void a_job_without_capacity_waits_for_the_end_of_another() {
    job("a", 0, 100, 8);
    job("a", 10, 50, 8);

    Run run = run(1, Sharing.BORROW, Map.of("a", 1.0));

    assertThat(outcomes(run)).containsExactly("0..100", "100..150");
    assertThat(run.makespan()).isEqualTo(150);
    assertThat(run.all().waits().at(100)).hasSeconds(90);
    assertThat(run.utilisation()).isEqualTo(1);
  }

  @Test
  void quota_limits_a_queue_and_borrowing_grants_it_idle_capacity() {
    job("a", 0, 100, 8);
    job("a", 0, 100, 8);
    Map<String, Double> halves = Map.of("a", 1.0, "b", 1.0);

    assertThat(outcomes(run(2, Sharing.QUOTA, halves))).containsExactly("0..100", "100..200");
    Run borrowed = run(2, Sharing.BORROW, halves);

    assertThat(outcomes(borrowed)).containsExactly("0..100", "0..100");
    assertThat(borrowed.all().fairness()).as("alone it had one node").containsExactly(0.5, 1.0);
  }

  @Test
  void lender_may_wait_longer_than_alone_and_the_table_shows_it() {
    job("a", 0, 100, 8);
    job("a", 0, 100, 8);
    job("b", 10, 10, 8);

    Run run = run(2, Sharing.BORROW, Map.of("a", 1.0, "b", 1.0));

    assertThat(run.all().worst()).isEqualTo(10.0);
    assertThat(run.all().aboveOne()).isEqualTo(1.0 / 3);
    assertThat(String.join("\n", Floors.of(run)))
        .contains("1 of 2 queues", "b waits longer than in a private cluster: mean +90.0 s");
    assertThat(Table.of(run)).anyMatch(line -> line.matches("b +1 +1 .*10.00 +100.0 %.*"));
  }

  @Test
  void lent_capacity_is_reclaimed_and_its_job_restarts() {
    job("a", 0, 100, 8);
    job("a", 0, 100, 8);
    job("b", 10, 10, 8);

    Run run = run(2, Sharing.RECLAIM, Map.of("a", 1.0, "b", 1.0));

    assertThat(run.result().outcomes())
        .filteredOn(o -> o.job().queue().equals("b"))
        .singleElement()
        .matches(o -> o.waited() == Timelapse.EVICTION);
    assertThat(run.all().preemptions()).isEqualTo(1);
    assertThat(outcomes(run)).contains("50..150");
    assertThat(String.join("\n", Floors.of(run))).contains("2 of 2 queues", "31 s of an eviction");
  }

  @Test
  void infeasible_jobs_are_counted_and_end_nothing() {
    job("a", 0, 10, 16);
    job("a", 1, 10, 1);

    Run run = run(1, Sharing.BORROW, Map.of("a", 1.0));

    assertThat(run.all().jobs()).isEqualTo(2);
    assertThat(run.all().ran()).isEqualTo(1);
    assertThat(run.fragmentation()).as("7 of 8 idle while it ran").isEqualTo(0.875 * 10 / 11);
  }

  @Test
  void nodes_of_each_model_are_distributed_by_weight() {
    List<Node> nodes = new ArrayList<>(nodes(6));
    nodes.add(Hardware.node("other", 99, "L4", 8, 1000, 1000, "r9"));

    Map<String, List<Node>> hands = NodeShares.of(nodes, new TreeMap<>(Map.of("a", 2.0, "b", 1.0)));

    assertThat(hands.get("a")).hasSize(5);
    assertThat(hands.get("b")).hasSize(2);
  }

  private void job(String queue, long submitted, long run, int gpus) {
    String name = "j" + jobs.size();
    jobs.add(new Arrival(name, queue, submitted, run, 1, GpuRequest.whole(gpus), 1000, 1024));
  }

  private Run run(int nodes, Sharing sharing, Map<String, Double> weights) {
    Trace trace = new Trace("test", nodes(nodes), new TreeMap<>(weights), jobs);
    return new PolicyComparison(trace, 1).runs(List.of(sharing)).get(sharing);
  }

  private static List<Node> nodes(int count) {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(Hardware.node("n" + i, i, "H100", 8, 64_000, 1 << 20, "r0"));
    }
    return nodes;
  }

  private static List<String> outcomes(Run run) {
    return run.result().outcomes().stream().map(o -> o.started() + ".." + o.ended()).toList();
  }
}
