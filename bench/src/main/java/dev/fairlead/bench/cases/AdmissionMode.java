package dev.fairlead.bench.cases;

import dev.fairlead.placement.preemption.RunningJob;
import dev.fairlead.placement.preemption.Victim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * {@code admission-cycle}: who gets quota in one pass over the heads, and who is evicted for it.
 */
final class AdmissionMode implements Mode {
  @Override
  public Verdict judge(Value scenario) {
    QuotaCase quota = new QuotaCase(scenario);
    RunningCase running = new RunningCase(scenario, quota);
    Topologies topologies = new Topologies(scenario, running);
    Nominations nominations = new Nominations(scenario, quota, running, topologies);
    List<Head> heads = new ArrayList<>();
    heads(scenario, quota).values().forEach(job -> heads.add(nominations.of(job)));
    AdmissionPass pass = new AdmissionPass(quota.tree(), topologies, running.fair());
    pass.run(heads);
    Value expect = scenario.get("expect");
    Verdict started = Verdict.of(expectedStarts(expect), starts(pass, expect));
    if (!started.agrees()) {
      return started;
    }
    return Verdict.of(expectedVictims(expect), victims(pass, running));
  }

  /** By queue the first of the jobs that it may take. */
  private static SortedMap<String, Value> heads(Value scenario, QuotaCase quota) {
    SortedMap<String, Value> heads = new TreeMap<>();
    for (Value job : scenario.get("jobs").list()) {
      String queue = job.get("queue").text("");
      if (job.get("state").text("PENDING").equals("PENDING")
          && !job.get("inactive").flag(false)
          && quota.knows(queue)
          && !quota.row(queue).get("stopped").present()
          && namespaceAllowed(scenario, quota.row(queue), job)) {
        heads.merge(queue, job, (a, b) -> Head.FIRST.compare(a, b) <= 0 ? a : b);
      }
    }
    return heads;
  }

  private static boolean namespaceAllowed(Value scenario, Value queue, Value job) {
    Value rule = queue.get("allowed_namespaces");
    Value namespace =
        scenario.get("cluster").get("namespaces").get(job.get("namespace").text("default"));
    SortedMap<String, String> labels = NodeRules.labels(namespace);
    for (Map.Entry<String, Value> wanted : rule.get("matchLabels").fields().entrySet()) {
      if (!wanted.getValue().text().equals(labels.get(wanted.getKey()))) {
        return false;
      }
    }
    return rule.get("matchExpressions").list().stream()
        .allMatch(e -> NodeRules.holds(e, labels, false));
  }

  private static SortedSet<String> expectedStarts(Value expect) {
    SortedSet<String> expected = new TreeSet<>();
    for (Value start : expect.get("admitted").list()) {
      SortedMap<String, String> parts = new TreeMap<>();
      for (Value task : start.get("tasks").list()) {
        for (Map.Entry<String, Value> flavor : task.get("flavors").fields().entrySet()) {
          parts.put(
              task.get("name").text() + "/" + flavor.getKey(),
              flavor.getValue().text() + " x" + task.get("count").count(1));
        }
      }
      expected.add(start.get("job").text() + " in " + start.get("queue").text("") + parts);
    }
    return expected;
  }

  /** In the words of the expectation; resources that it does not name are left out. */
  private static SortedSet<String> starts(AdmissionPass pass, Value expect) {
    SortedSet<String> named = new TreeSet<>();
    for (Value start : expect.get("admitted").list()) {
      start.get("tasks").list().forEach(t -> named.addAll(t.get("flavors").fields().keySet()));
    }
    SortedSet<String> found = new TreeSet<>();
    for (Head head : pass.admitted()) {
      SortedMap<String, String> parts = new TreeMap<>();
      for (TaskGroup group : head.groups()) {
        for (int i = 0; i < group.entries().size(); i++) {
          String task = group.entries().get(i).get("name").text();
          int count = group.counts().get(i);
          head.flavors()
              .flavors()
              .getOrDefault(task, new TreeMap<>())
              .forEach(
                  (resource, use) -> parts.put(task + "/" + resource, use.flavor() + " x" + count));
        }
      }
      parts.keySet().removeIf(key -> !named.contains(key.substring(key.lastIndexOf('/') + 1)));
      found.add(head.name() + " in " + head.job().get("queue").text() + parts);
    }
    return found;
  }

  private static SortedMap<String, String> expectedVictims(Value expect) {
    SortedMap<String, String> expected = new TreeMap<>();
    for (Value victim : expect.get("preempted").list()) {
      expected.put(victim.get("job").text(), victim.get("reason").text(""));
    }
    return expected;
  }

  private static SortedMap<String, String> victims(AdmissionPass pass, RunningCase running) {
    SortedMap<String, String> found = new TreeMap<>();
    for (Victim victim : pass.evicted()) {
      for (Map.Entry<String, RunningJob> named : running.jobs().entrySet()) {
        if (named.getValue().equals(victim.job())) {
          found.put(
              named.getKey().substring(named.getKey().lastIndexOf('/') + 1),
              RunningCase.reason(victim.reason()));
        }
      }
    }
    return found;
  }
}
