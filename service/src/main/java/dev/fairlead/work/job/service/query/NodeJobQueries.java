package dev.fairlead.work.job.service.query;

import static java.util.stream.Collectors.toMap;

import dev.fairlead.care.health.NodeJobs;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/** Finds jobs by the nodes that their live attempts have. */
@Component
public class NodeJobQueries implements NodeJobs {
  private final Transactions transactions;
  private final JobStore jobs;

  public NodeJobQueries(Transactions transactions, JobStore jobs) {
    this.transactions = transactions;
    this.jobs = jobs;
  }

  @Override
  public Jobs on(ClusterId cluster, Set<NodeId> nodes) {
    if (nodes.isEmpty()) {
      return new Jobs(0, List.of());
    }
    return transactions.forAllTenants(() -> {
      SortedMap<JobId, Set<NodeId>> held = held(cluster, nodes);
      List<JobId> first = held.keySet().stream().limit(MOST).toList();
      Map<JobId, String> names = jobs.findAll(first).stream().collect(toMap(Job::id, Job::name));
      return new Jobs(
          held.size(),
          held.entrySet().stream()
              .limit(MOST)
              .map(e ->
                  new NodeJob(e.getKey(), names.getOrDefault(e.getKey(), ""), e.getValue().size()))
              .toList());
    });
  }

  private SortedMap<JobId, Set<NodeId>> held(ClusterId cluster, Set<NodeId> nodes) {
    SortedMap<JobId, Set<NodeId>> held = new TreeMap<>();
    for (Attempt attempt : jobs.unretired(cluster)) {
      if (attempt.live()) {
        attempt.members().stream()
            .filter(member -> nodes.contains(member.node()))
            .forEach(member ->
                held.computeIfAbsent(attempt.job(), job -> new TreeSet<>()).add(member.node()));
      }
    }
    return held;
  }
}
