package dev.fairlead.verify.engine.cases.kueue;

import dev.fairlead.verify.engine.cases.form.Missing;
import dev.fairlead.verify.engine.cases.form.NodeRules;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/** Finds facts of a {@code kueue-*} case that the product does not support. */
final class KueueFacts {
  private final Value scenario;

  KueueFacts(Value scenario) {
    this.scenario = scenario;
  }

  void check() {
    Value cluster = scenario.get("cluster");
    refuse(cluster.get("limit_ranges").present(), Missing.LIMIT_RANGES);
    refuse(cluster.get("device_claims").present(), Missing.DEVICE_CLAIMS);
    for (Value job : jobs()) {
      job(job);
      job.get("tasks").list().forEach(this::task);
    }
    scenario.get("probe").get("tasks").list().forEach(this::task);
    Value existing = scenario.get("probe").get("existing");
    refuse(existing.get("failed_nodes").present(), Missing.NODE_REPLACEMENT);
    refuse(scenario.get("probe").get("replaces").present(), Missing.RESIZE);
    refuse(
        scenario.get("settings").get("fair_sharing").get("strategies").list().size() == 1,
        Missing.ONE_STRATEGY);
    boolean weighted =
        scenario.get("settings").get("usage_history").get("local_queues").list().stream()
            .anyMatch(q -> q.get("weight").number(1) != 1);
    refuse(weighted, Missing.WEIGHTED_USERS);
  }

  private static void refuse(boolean there, Missing missing) {
    if (there) {
      throw new NotExpressible(missing);
    }
  }

  private List<Value> jobs() {
    List<Value> jobs = new ArrayList<>(scenario.get("jobs").list());
    if (scenario.get("probe").get("job").present()) {
      jobs.add(scenario.get("probe").get("job"));
    }
    return jobs;
  }

  private void job(Value job) {
    boolean pending = !KueueCase.runs(job);
    refuse(job.get("waiting_for_checks").flag(false), Missing.CHECKS);
    refuse(!job.get("failed_nodes").list().isEmpty(), Missing.NODE_REPLACEMENT);
    refuse(job.get("resize_of").present(), Missing.RESIZE);
    refuse(!job.get("released_tasks").fields().isEmpty(), Missing.RELEASED);
    if (pending) {
      refuse(!allowed(job), Missing.NAMESPACES);
      boolean checked =
          scenario.get("queues").list().stream()
              .anyMatch(q ->
                  q.get("name").text().equals(job.get("queue").text(""))
                      && q.get("kind").text("leaf").equals("leaf")
                      && !q.get("external_checks").list().isEmpty());
      refuse(checked, Missing.CHECKS);
    }
  }

  private void task(Value task) {
    refuse(task.get("released").count(0) > 0, Missing.RELEASED);
    refuse(task.get("delayed_placement").present(), Missing.SECOND_PASS);
    refuse(task.get("previous_placement").present(), Missing.NODE_REPLACEMENT);
    boolean tainted =
        scenario.get("cluster").get("nodes").list().stream()
                .anyMatch(n -> !n.get("taints").list().isEmpty())
            || scenario.get("cluster").get("flavors").list().stream()
                .anyMatch(f -> !f.get("taints").list().isEmpty());
    boolean tolerates =
        !task.get("tolerations").list().isEmpty()
            || scenario.get("cluster").get("flavors").list().stream()
                .anyMatch(f -> !f.get("tolerations").list().isEmpty());
    refuse(tainted && tolerates, Missing.TOLERATIONS);
    List<Value> flavors = scenario.get("cluster").get("flavors").list();
    boolean mixed =
        flavors.stream().anyMatch(f -> f.get("topology").present())
            && flavors.stream().anyMatch(f -> !f.get("topology").present());
    refuse(mixed && !task.get("topology").present(), Missing.FLAVOR_FOR_TOPOLOGY);
  }

  private boolean allowed(Value job) {
    for (Value queue : scenario.get("queues").list()) {
      if (queue.get("name").text().equals(job.get("queue").text(""))) {
        Value rule = queue.get("allowed_namespaces");
        SortedMap<String, String> labels =
            NodeRules.labels(
                scenario
                    .get("cluster")
                    .get("namespaces")
                    .get(job.get("namespace").text("default")));
        boolean meets =
            rule.get("matchLabels").fields().entrySet().stream()
                    .allMatch(w -> w.getValue().text().equals(labels.get(w.getKey())))
                && rule.get("matchExpressions").list().stream()
                    .allMatch(e -> NodeRules.holds(e, labels));
        if (!meets) {
          return false;
        }
      }
    }
    return true;
  }
}
