package dev.fairlead.verify.engine.cases;

import dev.fairlead.verify.engine.cases.form.BadCase;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Three results, each by mode: agreement of the engine's plans, agreement of the arithmetic of the
 * cycle, and cases without a snapshot that the engine could plan.
 */
final class CaseReport {
  private final Set<String> disputed;
  private final SortedMap<Part, Tally> all = new TreeMap<>();
  private final SortedMap<Part, SortedMap<String, Tally>> modes = new TreeMap<>();
  private final List<String> failed = new ArrayList<>();
  private final SortedMap<String, List<String>> differing = new TreeMap<>();
  private final SortedMap<String, Integer> facts = new TreeMap<>();
  private final List<String> unreadable = new ArrayList<>();
  private boolean broken;

  /** The part that judges a case. */
  private enum Part {
    ARITHMETIC("arithmetic of the cycle"),
    NOT_EXPRESSIBLE("not expressible"),
    PLAN("through plan");

    private final String text;

    Part(String text) {
      this.text = text;
    }

    String line(Tally tally) {
      return this == NOT_EXPRESSIBLE ? tally.counts() : tally.text();
    }
  }

  CaseReport(Set<String> disputed) {
    this.disputed = disputed;
    for (Part part : Part.values()) {
      all.put(part, new Tally());
    }
  }

  void add(Value scenario, Verdict verdict) {
    boolean universal =
        scenario.get("portable").oneOf("", "universal", "policy").equals("universal");
    String id = scenario.get("id").text();
    String mode = scenario.get("evaluation").get("mode").text();
    Part part =
        verdict.missing() != null
            ? Part.NOT_EXPRESSIBLE
            : Modes.arithmetic(mode) ? Part.ARITHMETIC : Part.PLAN;
    all.computeIfAbsent(part, p -> new Tally()).add(universal, verdict.agrees());
    modes
        .computeIfAbsent(part, p -> new TreeMap<>())
        .computeIfAbsent(scenario.file() + " " + mode, m -> new Tally())
        .add(universal, verdict.agrees());
    if (verdict.missing() != null) {
      facts.merge(verdict.missing(), 1, Integer::sum);
    }
    if (!verdict.agrees() && universal) {
      boolean known = disputed.contains(id) || verdict.missing() != null;
      broken |= !known;
      String how = verdict.missing() != null ? "" : known ? "disputed " : "failed ";
      failed.add(how + id + ": " + verdict.why());
    } else if (!verdict.agrees()) {
      differing
          .computeIfAbsent(scenario.get("policy_note").text("no note"), n -> new ArrayList<>())
          .add(id + ": " + verdict.why());
    }
  }

  /** Adds a file or a case with invalid values. */
  void unreadable(BadCase bad) {
    unreadable.add("cannot be read: " + bad.getMessage());
  }

  boolean hasUnreadable() {
    return !unreadable.isEmpty();
  }

  /** Returns whether a universal case with a snapshot failed that is not disputed. */
  boolean broken() {
    return broken;
  }

  /**
   * Lines to print. The last three are the results.
   *
   * @param withDiffering adds policy cases that differ, grouped by policy note
   */
  List<String> lines(boolean withDiffering) {
    List<String> lines = new ArrayList<>();
    for (Part part : Part.values()) {
      modes
          .getOrDefault(part, new TreeMap<>())
          .forEach((mode, tally) ->
              lines.add("%-26s %-44s %s".formatted(part.text, mode, part.line(tally))));
    }
    lines.addAll(failed);
    if (withDiffering) {
      differing.forEach((note, ids) -> {
        lines.add(note);
        ids.forEach(id -> lines.add("  " + id));
      });
    }
    facts.forEach((fact, cases) -> lines.add("not expressible in " + cases + ": " + fact));
    lines.addAll(unreadable);
    for (Part part : List.of(Part.PLAN, Part.ARITHMETIC, Part.NOT_EXPRESSIBLE)) {
      lines.add(part.text + ": " + part.line(all.getOrDefault(part, new Tally())));
    }
    return lines;
  }
}
