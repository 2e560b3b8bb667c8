package dev.fairlead.front.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.serving.OwnedService;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many ModelServices, none of which Fairlead may lose track of. */
class FrontServiceBoundTest extends FrontServiceScene {
  private void serving() {
    cluster.serve(CHAT, "chat", "v1");
    pass(20);
    assertThat(told(CHAT)).startsWith("Ready Serving: 2 of 2 ");
  }

  private void endedAfterItsDeletion() {
    pass(100);
    assertThat(cluster.has(CHAT)).isFalse();
    assertThat(names()).isEmpty();
  }

  /** Fails when the finalizer remains because the cluster did not answer its removal. */
  @Test
  void lastModelServiceOfAnUnmappedClusterIsReleasedAfterAnOutage() {
    serving();
    stores.fronts().remove(front, "team-a");
    cluster.delete(CHAT);
    cluster.away(true);
    pass(60);
    assertThat(names()).isEmpty();
    assertThat(cluster.has(CHAT)).isTrue();

    cluster.away(false);

    endedAfterItsDeletion();
    assertThat(cluster.followed()).isFalse();
  }

  /** Fails when a finalizer remains on a cluster that Fairlead no longer watches. */
  @Test
  void modelServiceWithoutAServiceIsReleasedWhenItsNamespaceIsUnmapped() {
    serving();
    cluster.serve(CHAT, "wrong");
    rest.remove(ana(), named("chat"), false);
    pass(60);
    assertThat(told(CHAT)).startsWith("Stalled InvalidSpec");
    assertThat(cluster.held(CHAT)).isTrue();

    stores.fronts().remove(front, "team-a");
    pass(3);

    assertThat(cluster.held(CHAT)).isFalse();
    assertThat(told(CHAT)).startsWith("Reconciling NamespaceNotMapped");
  }

  /** Fails when other objects that fill the limits of the watch hide a deletion. */
  @Test
  void deletionOfAModelServiceBeyondTheWatchLimitIsSeen() {
    serving();
    cluster.leaveOut(CHAT);
    cluster.delete(CHAT);
    pass = newPass();

    endedAfterItsDeletion();
  }

  /** Fails when a deletion ends the service that a user created under the name since. */
  @Test
  void aDeletionDoesNotEndALaterServiceOfTheName() {
    serving();
    OwnedService earlier = services.owned(elsewhere.cluster().name()).values().iterator().next();
    cluster.vanish(CHAT);
    rest.remove(ana(), named("chat"), false);
    pass(60);
    rest.put(ana(), named("chat"), file("chat", "v2"), null, false);

    services.remove(lease, ana(), earlier);
    pass(60);

    assertThat(names()).containsExactly("chat");
  }

  /** Fails when one namespace with many ModelServices delays another namespace. */
  @Test
  void namespaceWithManyModelServicesDelaysNoOther() {
    for (int i = 0; i < 300; i++) {
      cluster.serve("a-" + i, "team-z", "z" + i, "v1");
    }
    cluster.serve(CHAT, "chat", "v1");

    pass(1);

    assertThat(names()).containsExactly("chat");
    assertThat(cluster.writes()).hasSize(200);
    pass(1);
    assertThat(IntStream.range(0, 300).mapToObj(i -> told("a-" + i)))
        .allMatch(told -> told.contains("NamespaceNotMapped"));
  }

  /** Fails when an old definition or a webhook causes a write of each pass. */
  @Test
  void statusNotStoredByTheApiServerIsWrittenWithGrowingBackOff() {
    cluster.storesNoStatus();
    cluster.serve(CHAT, "chat", "v1");

    pass(120);

    assertThat(cluster.writes()).filteredOn(write -> write.startsWith("show")).hasSizeBetween(2, 8);
  }
}
