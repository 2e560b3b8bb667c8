package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SimulationAnnotationsTest {
  @Test
  void memberWithoutAnnotationsRunsForAMinute() {
    assertThat(SimulationAnnotations.of(new TreeMap<>(), 1, 0, "worker-0"))
        .containsOnlyKeys("sim.fairlead.dev/run-for")
        .containsValue("60s");
  }

  @Test
  void foreignAnnotationsAreIgnored() {
    SortedMap<String, String> given = annotations("team", "nlp", "sim.fairlead.dev/exit-code", "1");

    assertThat(SimulationAnnotations.of(given, 1, 0, "worker-0"))
        .containsOnlyKeys("sim.fairlead.dev/exit-code", "sim.fairlead.dev/run-for");
  }

  @Test
  void membersAnnotationLimitsAllExceptTheRuntime() {
    SortedMap<String, String> given =
        annotations(
            "sim.fairlead.dev/members", "worker-1, worker-3",
            "sim.fairlead.dev/exit-code", "1",
            "sim.fairlead.dev/run-for", "5s");

    assertThat(SimulationAnnotations.of(given, 1, 0, "worker-0"))
        .isEqualTo(annotations("sim.fairlead.dev/run-for", "5s"));
    assertThat(SimulationAnnotations.of(given, 1, 0, "worker-3"))
        .isEqualTo(
            annotations("sim.fairlead.dev/exit-code", "1", "sim.fairlead.dev/run-for", "5s"));
  }

  @Test
  void attemptsAnnotationLimitsTheOthers() {
    SortedMap<String, String> given =
        annotations("sim.fairlead.dev/attempts", "1", "sim.fairlead.dev/exit-code", "1");

    assertThat(SimulationAnnotations.of(given, 1, 0, "worker-0"))
        .containsKey("sim.fairlead.dev/exit-code");
    assertThat(SimulationAnnotations.of(given, 2, 0, "worker-0"))
        .doesNotContainKey("sim.fairlead.dev/exit-code");
    assertThat(SimulationAnnotations.of(given, 11, 0, "worker-0"))
        .doesNotContainKey("sim.fairlead.dev/exit-code");
  }

  /** Fails when one element of an array cannot end differently from the others. */
  @Test
  void elementsNarrowToo() {
    SortedMap<String, String> given =
        annotations("sim.fairlead.dev/elements", "1, 4", "sim.fairlead.dev/exit-code", "1");

    assertThat(SimulationAnnotations.of(given, 1, 4, "worker-0"))
        .containsKey("sim.fairlead.dev/exit-code")
        .doesNotContainKey("sim.fairlead.dev/elements");
    assertThat(SimulationAnnotations.of(given, 1, 0, "worker-0"))
        .doesNotContainKey("sim.fairlead.dev/exit-code");
  }

  private static SortedMap<String, String> annotations(String... namesAndValues) {
    SortedMap<String, String> map = new TreeMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return map;
  }
}
