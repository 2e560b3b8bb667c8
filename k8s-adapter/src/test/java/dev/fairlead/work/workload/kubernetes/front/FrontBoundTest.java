package dev.fairlead.work.workload.kubernetes.front;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Number of listed Jobs of a front cluster. */
class FrontBoundTest {
  private final FrontBound bound = new FrontBound(10, 25);

  private int admitted(String namespace, int asked) {
    int admitted = 0;
    for (int i = 0; i < asked; i++) {
      admitted += bound.admits(namespace) ? 1 : 0;
    }
    return admitted;
  }

  /** Fails when a namespace without a project can displace the Jobs of all other namespaces. */
  @Test
  void aFullNamespaceLeavesRoomForOthers() {
    assertThat(admitted("loud", 100)).isEqualTo(10);
    assertThat(admitted("team-a", 5)).isEqualTo(5);
    assertThat(bound.trouble()).contains("loud", "10 per namespace");
  }

  @Test
  void totalOfShownFrontsIsBounded() {
    assertThat(admitted("a", 10) + admitted("b", 10) + admitted("c", 10)).isEqualTo(25);
    assertThat(bound.trouble()).contains("namespace c");
  }

  /** Fails when omitted items are never shown, or are listed at each check. */
  @Test
  void omittedObjectsAreListedAgainOnceRoomExists() {
    admitted("loud", 11);
    assertThat(bound.again()).isFalse();

    bound.left("loud");

    assertThat(bound.again()).isTrue();
    assertThat(bound.again()).isFalse();
    assertThat(bound.trouble()).isNull();
    assertThat(admitted("loud", 5)).isEqualTo(1);
  }

  @Test
  void nothingIsListedAgainWithoutOmittedObjects() {
    admitted("team-a", 3);
    bound.left("team-a");
    assertThat(bound.again()).isFalse();
    assertThat(bound.trouble()).isNull();
  }
}
