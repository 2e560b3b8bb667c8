package dev.fairlead.work.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LocksTest {
  private static List<String> overridden(String locked, Map<String, Object> submit) {
    return overridden(locked, submit, Map.of());
  }

  private static List<String> overridden(
      String locked, Map<String, Object> submit, Map<String, Object> job) {
    return Locks.overridden(List.of(locked), submit, job).stream()
        .map(Locks.FieldConflict::pointer)
        .toList();
  }

  @Test
  void fieldItsChildrenAndItsParentAreLocked() {
    assertThat(overridden("/image", Map.of("image", "x"))).containsExactly("/image");
    assertThat(overridden("/placement", Map.of("placement", Map.of("pools", List.of()))))
        .containsExactly("/placement");
    assertThat(overridden("/env/MODE", Map.of("env", "x"))).containsExactly("/env");
    assertThat(overridden("/env/MODE", Map.of("env", Map.of("MODE", "x"))))
        .containsExactly("/env/MODE");
    assertThat(overridden("/volumes/0", Map.of("volumes", List.of()))).containsExactly("/volumes");
    assertThat(overridden("/env/MODE", Map.of("env", Map.of("OTHER", "x"), "name", "n"))).isEmpty();
    assertThat(overridden("/image", Map.of())).isEmpty();
  }

  @Test
  void nullThatRemovesAFieldIsLocked() {
    Map<String, Object> submit = new TreeMap<>();
    submit.put("env", null);
    assertThat(overridden("/env/MODE", submit)).containsExactly("/env");
  }

  /** Fails when an object can replace the text that contains the locked part. */
  @Test
  void objectThatReplacesATextIsLocked() {
    assertThat(overridden("/gpu/model", Map.of("gpu", Map.of("count", 8)), Map.of("gpu", "H100:1")))
        .containsExactly("/gpu");
    assertThat(
            overridden(
                "/gpu/model",
                Map.of("gpu", Map.of("count", 8)),
                Map.of("gpu", Map.of("model", "H100", "count", 1))))
        .isEmpty();
    assertThat(overridden("/gpu/model", Map.of("name", "n"), Map.of("gpu", "H100:1"))).isEmpty();
  }

  /** Fails when a locked image can be replaced by the image of a role. */
  @Test
  void equivalentFieldsAreLocked() {
    assertThat(overridden("/image", Map.of("roles", List.of()))).containsExactly("/roles");
    assertThat(overridden("/gpu", Map.of("roles", List.of()))).containsExactly("/roles");
    assertThat(overridden("/run", Map.of("command", List.of()))).containsExactly("/command");
    assertThat(overridden("/run", Map.of("setup", "x"))).containsExactly("/setup");
    assertThat(overridden("/image", Map.of("sidecars", List.of()))).containsExactly("/sidecars");
    assertThat(overridden("/setup", Map.of("roles", List.of()))).containsExactly("/roles");
    assertThat(overridden("/roles/0/image", Map.of("image", "x"))).containsExactly("/image");
    assertThat(overridden("/env/A", Map.of("secretEnv", Map.of()))).containsExactly("/secretEnv");
    assertThat(overridden("/image", Map.of("run", "x"))).isEmpty();
  }
}
