package dev.fairlead.work.workload.service.pass;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.workload.ClusterGateway;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** Queries a cluster for single nodes, several in parallel. */
final class NodeLookups {
  /** Maximum number of nodes of one pass. The next passes query the others. */
  private static final int MOST = 256;

  private final ExecutorService workers;

  NodeLookups(ExecutorService workers) {
    this.workers = workers;
  }

  /** The nodes that the cluster returned, by name. */
  Map<String, NodeReport> ask(ClusterGateway gateway, SortedSet<String> names) {
    if (names.isEmpty()) {
      return Map.of();
    }
    List<Callable<Optional<NodeReport>>> questions =
        names.stream()
            .limit(MOST)
            .<Callable<Optional<NodeReport>>>map(name -> () -> gateway.nodeNow(name))
            .toList();
    List<NodeReport> told = new ArrayList<>();
    try {
      for (Future<Optional<NodeReport>> answer : workers.invokeAll(questions)) {
        answer.get().ifPresent(told::add);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException failed) {
      throw new IllegalStateException("a lookup of a node failed", failed);
    }
    Map<String, NodeReport> answers = new TreeMap<>();
    told.forEach(node -> answers.put(node.name(), node));
    return answers;
  }
}
