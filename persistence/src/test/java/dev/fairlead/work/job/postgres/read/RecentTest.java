package dev.fairlead.work.job.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentTest {
  /** Fails when small values that are later replaced by large values escape the bound. */
  @Test
  void replacementCountsTowardsTheBound() {
    Recent<String, String> recent = new Recent<>(10);

    recent.put("a", "small", 1);
    recent.put("a", "large", 9);
    recent.put("b", "other", 6);

    assertThat(recent.get("a")).isNull();
    assertThat(recent.get("b")).isEqualTo("other");
  }

  /** Fails when a value that is read again and again is forgotten. */
  @Test
  void recentlyReadValueIsRetained() {
    Recent<String, String> recent = new Recent<>(10);

    for (int i = 0; i < 100; i++) {
      recent.put("read", "read", 1);
      recent.put("other" + i, "other", 2);
    }

    assertThat(recent.get("read")).isEqualTo("read");
    assertThat(recent.get("other0")).isNull();
  }
}
