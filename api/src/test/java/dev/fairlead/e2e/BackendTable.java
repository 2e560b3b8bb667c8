package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Cases that tests have verified on backends. {@code make backends} prints the lines. */
final class BackendTable {
  private static final List<String> CASES =
      List.of(
          "submit",
          "gang all or nothing",
          "preempt",
          "cancel",
          "kill of the replica",
          "cause of failure",
          "quota back to zero");

  private final Map<String, Set<String>> seen = new TreeMap<>();

  void seen(String backend, String scenario) {
    assertThat(CASES).contains(scenario);
    seen.computeIfAbsent(backend, b -> new TreeSet<>()).add(scenario);
  }

  void print(List<String> backends) {
    System.out.println("backend | " + String.join(" | ", CASES));
    for (String backend : backends) {
      StringBuilder row = new StringBuilder("backend " + backend);
      for (String each : CASES) {
        boolean held = seen.getOrDefault(backend, Set.of()).contains(each);
        row.append(" | ").append(held ? "yes" : "no");
      }
      System.out.println(row);
    }
  }
}
