package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.Hardware;
import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import dev.fairlead.verify.engine.timelapse.trace.Tree;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One trace under several policies of sharing, each compared with private clusters: the nodes
 * distributed to the queues by weight.
 */
public final class PolicyComparison {
  private final Trace trace;
  private final long tick;
  private final SortedMap<String, List<Node>> hands;
  private final Map<Arrival, Outcome> alone = new LinkedHashMap<>();

  public PolicyComparison(Trace trace, long tick) {
    this.trace = trace;
    this.tick = tick;
    hands = NodeShares.of(trace.nodes(), trace.weights());
    for (String queue : hands.keySet()) {
      List<Arrival> own = trace.jobs().stream().filter(j -> j.queue().equals(queue)).toList();
      SortedMap<String, List<Node>> hand = new TreeMap<>(Map.of(queue, hands.get(queue)));
      replay(own, hands.get(queue), Tree.of(hand, Sharing.PRIVATE))
          .outcomes()
          .forEach(o -> alone.put(o.job(), o));
    }
  }

  Trace trace() {
    return trace;
  }

  public Map<Sharing, Run> runs(List<Sharing> ways) {
    Map<Sharing, Run> runs = new EnumMap<>(Sharing.class);
    for (Sharing way : ways) {
      runs.put(way, run(way));
    }
    return runs;
  }

  private Run run(Sharing way) {
    long start = System.nanoTime();
    Timelapse.Result result =
        way == Sharing.PRIVATE
            ? new Timelapse.Result(new ArrayList<>(alone.values()), List.of(), 0)
            : replay(trace.jobs(), trace.nodes(), Tree.of(hands, way));
    return new Run(trace, way, result, alone, tick, (System.nanoTime() - start) / 1_000_000_000.0);
  }

  private Timelapse.Result replay(List<Arrival> jobs, List<Node> nodes, Tree tree) {
    VirtualCluster cluster = new VirtualCluster(Hardware.cluster(trace.name()), nodes, tree);
    return new Timelapse(jobs, tree, cluster, tick).run();
  }
}
