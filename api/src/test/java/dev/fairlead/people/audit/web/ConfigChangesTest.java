package dev.fairlead.people.audit.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigChangesTest {
  /** Fails when a change is omitted, has the wrong path, or is reported for an equal value. */
  @Test
  void deepestDifferingFieldsAreReported() {
    assertThat(
            ConfigChanges.between(
                "{\"a\":{\"b/c\":1,\"same\":true},\"list\":[1,2],\"gone\":{\"x\":1}}",
                "{\"a\":{\"b/c\":2,\"same\":true},\"list\":[1,3,4],\"new~\":\"n\"}"))
        .containsExactly(
            new ConfigChanges.Changed("/a/b~1c", "1", "2"),
            new ConfigChanges.Changed("/gone", "{\"x\":1}", null),
            new ConfigChanges.Changed("/list/1", "2", "3"),
            new ConfigChanges.Changed("/list/2", null, "4"),
            new ConfigChanges.Changed("/new~0", null, "\"n\""));
  }

  /** Fails when a created or removed object is reported member by member. */
  @Test
  void createdOrDeletedObjectIsOneChange() {
    assertThat(ConfigChanges.between(null, "{\"a\":1}"))
        .containsExactly(new ConfigChanges.Changed("", null, "{\"a\":1}"));
    assertThat(ConfigChanges.between("{\"a\":1}", null))
        .containsExactly(new ConfigChanges.Changed("", "{\"a\":1}", null));
    assertThat(ConfigChanges.between("{\"a\":1}", "{\"a\":1}")).isEmpty();
  }
}
