package dev.fairlead.bench.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Counts per file and tag, the universal cases that fail, and the policy cases that differ. */
final class CaseReport {
  private final Set<String> disputed;
  private final Tally all = new Tally();
  private final SortedMap<String, Tally> files = new TreeMap<>();
  private final SortedMap<String, SortedMap<String, Tally>> tags = new TreeMap<>();
  private final List<String> failed = new ArrayList<>();
  private final SortedMap<String, List<String>> differing = new TreeMap<>();
  private boolean broken;

  CaseReport(Set<String> disputed) {
    this.disputed = disputed;
  }

  void add(Value scenario, Verdict verdict) {
    boolean universal =
        scenario.get("portable").oneOf("", "universal", "policy").equals("universal");
    String id = scenario.get("id").text();
    all.add(universal, verdict.agrees());
    files.computeIfAbsent(scenario.file(), f -> new Tally()).add(universal, verdict.agrees());
    for (String tag : scenario.get("tags").texts()) {
      tags.computeIfAbsent(scenario.file(), f -> new TreeMap<>())
          .computeIfAbsent(tag, t -> new Tally())
          .add(universal, verdict.agrees());
    }
    if (!verdict.agrees() && universal) {
      boolean known = disputed.contains(id);
      broken |= !known;
      failed.add((known ? "disputed " : "failed ") + id + ": " + verdict.why());
    } else if (!verdict.agrees()) {
      differing
          .computeIfAbsent(scenario.get("policy_note").text("no note"), n -> new ArrayList<>())
          .add(id + ": " + verdict.why());
    }
  }

  /** Whether a universal case failed that is not disputed. */
  boolean broken() {
    return broken;
  }

  /**
   * Lines to print.
   *
   * @param withDiffering policy cases that differ too, grouped by policy note
   */
  List<String> lines(boolean withDiffering) {
    List<String> lines = new ArrayList<>();
    lines.add(Tally.heading());
    for (String file : files.keySet()) {
      lines.add(files.getOrDefault(file, new Tally()).row(file));
      tags.getOrDefault(file, new TreeMap<>())
          .forEach((tag, tally) -> lines.add(tally.row("  " + tag)));
    }
    lines.addAll(failed);
    if (withDiffering) {
      differing.forEach((note, ids) -> {
        lines.add(note);
        ids.forEach(id -> lines.add("  " + id));
      });
    }
    lines.add(all.last());
    return lines;
  }
}
