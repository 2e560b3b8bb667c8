package dev.fairlead.bench.cases;

import dev.fairlead.placement.routing.EvictionOutlook;
import dev.fairlead.placement.routing.Fit;
import dev.fairlead.placement.routing.Standing;
import dev.fairlead.quota.QuotaCell;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** {@code flavor-choice}: the flavors of a job and how it stands. */
final class FlavorChoiceMode implements Mode {
  @Override
  public Verdict judge(Value scenario) {
    Value probe = scenario.get("probe");
    QuotaCase quota = new QuotaCase(scenario);
    boolean released =
        scenario.get("settings").get("source_switches").get("ReclaimablePods").flag(true);
    List<TaskGroup> groups = TaskGroup.of(probe.get("tasks").list(), released);
    FlavorAssignment found =
        FlavorAssignment.of(
            quota, scenario, quota.row(probe.get("queue").text()), groups, outlook(scenario));
    Value expected = scenario.get("expect");
    String mode = mode(found.standing().fit());
    if (!mode.equals(expected.get("mode").text())) {
      return Verdict.of(expected.get("mode").text(), mode);
    }
    return mode.equals("does-not-fit") ? Verdict.AGREES : details(expected, found);
  }

  private static Verdict details(Value expected, FlavorAssignment found) {
    int height = expected.get("borrow_height").count(found.standing().height());
    if (height != found.standing().height()) {
      return Verdict.of("borrow height " + height, "borrow height " + found.standing().height());
    }
    SortedMap<String, String> wanted = new TreeMap<>();
    SortedMap<String, String> told = new TreeMap<>();
    for (Value task : expected.get("tasks").list()) {
      String name = task.get("name").text();
      Map<String, FlavorAssignment.FlavorUse> uses =
          found.flavors().getOrDefault(name, new TreeMap<>());
      for (Map.Entry<String, Value> flavor : task.get("flavors").fields().entrySet()) {
        String key = name + "/" + flavor.getKey();
        FlavorAssignment.FlavorUse use = uses.get(flavor.getKey());
        String mode = flavor.getValue().get("mode").text("");
        wanted.put(key, flavor.getValue().get("flavor").text() + " " + mode);
        told.put(
            key, use == null ? "" : use.flavor() + " " + (mode.isEmpty() ? "" : mode(use.fit())));
      }
    }
    return Verdict.of(wanted, told);
  }

  static String mode(Fit fit) {
    return switch (fit) {
      case FITS -> "fits";
      case DOES_NOT_FIT -> "does-not-fit";
      case NO_VICTIMS, PREEMPTION, RECLAIM -> "needs-preemption";
    };
  }

  private static EvictionOutlook outlook(Value scenario) {
    SortedMap<QuotaCell, Standing> given = new TreeMap<>();
    for (Value row : scenario.get("preemption_oracle").list()) {
      Fit fit =
          switch (row.get("possible").text()) {
            case "none" -> Fit.NO_VICTIMS;
            case "reclaim" -> Fit.RECLAIM;
            case "same-queue-preemption" -> Fit.PREEMPTION;
            default -> throw row.get("possible").bad("none, reclaim or same-queue-preemption");
          };
      given.put(
          QuotaCase.cell(row.get("flavor").text(), row.get("resource").text()),
          new Standing(fit, row.get("borrow_height_after").count(0)));
    }
    Standing usual = new Standing(Fit.PREEMPTION, 0);
    return (cell, amount) -> given.getOrDefault(cell, usual);
  }
}
