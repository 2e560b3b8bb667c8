package dev.fairlead.work.workload;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Annotations under {@code sim.fairlead.dev/} that reach a member. {@code members} (a comma list of
 * {@code role-index}), {@code attempts} and {@code elements} (comma lists of numbers) restrict the
 * other annotations to the named ones. Where a list names others, only {@code run-for} still
 * applies.
 */
public final class SimulationAnnotations {
  public static final String PREFIX = "sim.fairlead.dev/";
  private static final String MEMBERS = PREFIX + "members";
  private static final String ATTEMPTS = PREFIX + "attempts";
  private static final String ELEMENTS = PREFIX + "elements";
  private static final Set<String> NARROWING = Set.of(MEMBERS, ATTEMPTS, ELEMENTS);
  private static final String RUN_FOR = PREFIX + "run-for";
  private static final String DEFAULT_RUN_FOR = "60s";

  private SimulationAnnotations() {}

  public static SortedMap<String, String> of(
      SortedMap<String, String> annotations, int attempt, int element, String member) {
    SortedMap<String, String> all = new TreeMap<>();
    annotations.forEach((name, value) -> {
      if (name.startsWith(PREFIX) && !NARROWING.contains(name)) {
        all.put(name, value);
      }
    });
    boolean named =
        names(annotations, MEMBERS, member)
            && names(annotations, ATTEMPTS, Integer.toString(attempt))
            && names(annotations, ELEMENTS, Integer.toString(element));
    SortedMap<String, String> effective = new TreeMap<>(named ? all : Collections.emptySortedMap());
    effective.put(RUN_FOR, all.getOrDefault(RUN_FOR, DEFAULT_RUN_FOR));
    return effective;
  }

  private static boolean names(SortedMap<String, String> annotations, String key, String value) {
    String list = annotations.get(key);
    return list == null || List.of(list.replace(" ", "").split(",")).contains(value);
  }
}
