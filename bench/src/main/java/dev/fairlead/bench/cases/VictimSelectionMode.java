package dev.fairlead.bench.cases;

import dev.fairlead.placement.preemption.RunningJob;
import dev.fairlead.placement.preemption.Victim;
import dev.fairlead.quota.QuotaCell;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** {@code victim-selection}: who is evicted for the probe's job, and by which right. */
final class VictimSelectionMode implements Mode {
  @Override
  public Verdict judge(Value scenario) {
    QuotaCase quota = new QuotaCase(scenario);
    RunningCase running = new RunningCase(scenario, quota);
    Value probe = scenario.get("probe");
    Value job = probe.get("job");
    SortedMap<QuotaCell, Long> asks = new TreeMap<>();
    SortedSet<QuotaCell> lacking = new TreeSet<>();
    for (Value task : job.get("tasks").list()) {
      asks(task, probe.get("flavors"), asks, lacking);
    }
    SortedMap<String, String> found = new TreeMap<>();
    for (Victim victim : running.victims(job, asks, lacking, gone -> true)) {
      found.put(name(running, victim.job()), RunningCase.reason(victim.reason()));
    }
    return Verdict.of(expected(scenario), found);
  }

  private static void asks(
      Value task, Value flavors, SortedMap<QuotaCell, Long> asks, SortedSet<QuotaCell> lacking) {
    Value own = flavors.get(task.get("name").text());
    Value chosen = own.present() ? own : flavors.get("*");
    SortedMap<String, Value> requests = task.get("requests").fields();
    for (Map.Entry<String, Value> flavor : chosen.fields().entrySet()) {
      QuotaCell cell = QuotaCase.cell(flavor.getValue().get("flavor").text(), flavor.getKey());
      Value request = requests.get(flavor.getKey());
      double amount = request == null ? 0 : request.number() * task.get("count").count(1);
      asks.merge(cell, QuotaCase.amount(amount), Long::sum);
      if (flavor.getValue().get("needs_preemption").flag(false)) {
        lacking.add(cell);
      }
    }
  }

  private static SortedMap<String, String> expected(Value scenario) {
    SortedMap<String, String> expected = new TreeMap<>();
    for (Value victim : scenario.get("expect").get("preempted").list()) {
      expected.put(victim.get("job").text(), victim.get("reason").text(""));
    }
    return expected;
  }

  private static String name(RunningCase running, RunningJob job) {
    for (Map.Entry<String, RunningJob> named : running.jobs().entrySet()) {
      if (named.getValue().equals(job)) {
        return named.getKey().substring(named.getKey().lastIndexOf('/') + 1);
      }
    }
    return job.key();
  }
}
