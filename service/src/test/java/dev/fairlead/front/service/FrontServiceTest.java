package dev.fairlead.front.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.e2e.FairleadSubmits;
import dev.fairlead.front.ServiceStatus;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.job.Job;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ModelServices of a front cluster, from the first apply to their deletion. */
class FrontServiceTest extends FrontServiceScene {
  private void serving() {
    cluster.serve(CHAT, "chat", "v1");
    pass(20);
    assertThat(told(CHAT)).startsWith("Ready Serving: 2 of 2 ");
  }

  @Test
  void anAppliedModelServiceServesInTheProjectOfItsNamespace() {
    cluster.serve(CHAT, "chat", "v1");
    pass(1);
    assertThat(names()).containsExactly("chat");
    assertThat(cluster.held(CHAT)).isTrue();

    pass(20);

    assertThat(told(CHAT)).startsWith("Ready Serving: 2 of 2 ");
    assertThat(shown(CHAT).observed()).isEqualTo(1);
    assertThat(shown(CHAT).serving())
        .isEqualTo(
            new ServiceStatus.Serving(
                "chat.example", 2, 2, 1, 1, List.of(new ServiceStatus.Version(1, 100, 2, 2))));
    assertThat(replicas()).extracting(Job::user).allMatch(user -> user.endsWith("/team-a"));
    cluster.noCalls();
    pass(100);
    assertThat(cluster.calls()).as("calls without a change").isZero();
  }

  @Test
  void aChangedModelRollsOutStepByStep() {
    serving();

    cluster.serve(CHAT, "v2");
    pass(2);
    assertThat(told(CHAT)).startsWith("Reconciling WaitingForReplicas: Version 2 gets 0 %");
    pass(120);

    assertThat(told(CHAT)).startsWith("Ready Serving: 2 of 2 ");
    assertThat(shown(CHAT).observed()).isEqualTo(2);
    assertThat(view("chat").stableVersion()).isEqualTo(2);
  }

  /** Fails when a deployment tool takes a version that was rolled back for a success. */
  @Test
  void rolledBackVersionStallsItsModelService() {
    serving();

    cluster.serve(CHAT, "bad");
    pass(120);

    assertThat(told(CHAT)).startsWith("Stalled RolledBack: Version 1 ");
    cluster.serve(CHAT, "v3");
    pass(120);
    assertThat(told(CHAT)).startsWith("Ready Serving");
  }

  @Test
  void aWrongSpecStallsByItsPointerAndTheServiceContinues() {
    serving();

    cluster.serve(CHAT, "wrong");
    pass(3);

    assertThat(told(CHAT)).isEqualTo("Stalled InvalidSpec: /spec/rout: Did you mean route?");
    assertThat(shown(CHAT).observed()).isEqualTo(2);
    assertThat(Objects.requireNonNull(shown(CHAT).serving()).ready()).isEqualTo(2);
    cluster.serve(CHAT, "v1");
    pass(3);
    assertThat(told(CHAT)).startsWith("Ready Serving");
    assertThat(view("chat").latestVersion()).as("the spec of version 1 again").isEqualTo(1);
  }

  @Test
  void aDeletedModelServiceIsReleasedWhenItsReplicasHaveEnded() {
    serving();

    cluster.delete(CHAT);
    pass(2);
    assertThat(cluster.has(CHAT)).isTrue();
    assertThat(told(CHAT)).startsWith("Reconciling Deleting");
    pass(60);

    assertThat(cluster.has(CHAT)).isFalse();
    assertThat(names()).isEmpty();
    assertThat(replicas()).isEmpty();
  }

  /** Fails when a restored etcd or a finalizer that was removed by hand ends a service. */
  @Test
  void vanishedModelServiceLeavesItsServiceAndIsAdoptedAgain() {
    serving();

    cluster.vanish(CHAT);
    pass(400);
    assertThat(view("chat").readyReplicas()).isEqualTo(2);
    cluster.serve("another-uid", "chat", "v1");
    pass(3);

    assertThat(told("another-uid")).startsWith("Ready Serving");
    assertThat(view("chat").latestVersion()).isEqualTo(1);
    cluster.delete("another-uid");
    pass(60);
    assertThat(names()).isEmpty();
  }

  /** Fails when a spec counts as applied because an earlier one had its generation. */
  @Test
  void anotherSpecOfTheSameGenerationIsAppliedAfterARestoreOfEtcd() {
    serving();

    cluster.restore(CHAT, "v2");
    pass(120);

    assertThat(view("chat").stableVersion()).isEqualTo(2);
    assertThat(told(CHAT)).startsWith("Ready Serving: 2 of 2 ");
    assertThat(shown(CHAT).observed()).isEqualTo(1);
  }

  @Test
  void aServiceOfAUserIsNotTakenOver() {
    rest.put(ana(), named("chat"), file("chat", "v1"), null, false);

    cluster.serve(CHAT, "chat", "v2");
    pass(5);

    assertThat(told(CHAT))
        .startsWith("Stalled NameInUse: ")
        .contains("no ModelService created", "fairlead service delete");
    assertThat(view("chat").latestVersion()).isEqualTo(1);
    cluster.delete(CHAT);
    pass(5);
    assertThat(cluster.has(CHAT)).isFalse();
    assertThat(names()).as("the user's service").containsExactly("chat");
  }

  @Test
  void secondModelServiceOfANameIsRejectedAndItsDeletionEndsNothing() {
    map("team-b");
    serving();

    cluster.serve("of-team-b", "team-b", "chat", "v2");
    pass(5);
    assertThat(told("of-team-b")).startsWith("Stalled NameInUse: ").contains("namespace team-a");
    cluster.delete("of-team-b");
    pass(5);

    assertThat(cluster.has("of-team-b")).isFalse();
    assertThat(told(CHAT)).startsWith("Ready Serving");
    assertThat(view("chat").latestVersion()).isEqualTo(1);
  }

  @Test
  void usersCannotChangeTheServiceOfAModelService() {
    serving();

    assertThatThrownBy(() -> rest.put(ana(), named("chat"), file("chat", "v2"), null, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("namespace team-a")
        .hasMessageContaining("Change that object instead");
    rest.remove(ana(), named("chat"), false);
    pass(90);
    assertThat(told(CHAT)).as("it is created again").startsWith("Ready Serving");
  }

  @Test
  void namespaceWithoutAProjectIsReportedAndServesOnceMapped() {
    cluster.serve(CHAT, "team-z", "chat", "v1");
    pass(3);
    assertThat(told(CHAT)).startsWith("Reconciling NamespaceNotMapped: ");
    assertThat(cluster.held(CHAT)).isFalse();

    map("team-z");
    pass(20);

    assertThat(told(CHAT)).startsWith("Ready Serving");
  }

  /** Fails when a deletion waits forever for a namespace that is no longer mapped. */
  @Test
  void aModelServiceIsDeletedAfterItsNamespaceWasUnmapped() {
    serving();
    stores.fronts().remove(front, "team-a");
    pass = newPass();

    cluster.delete(CHAT);
    pass(60);

    assertThat(cluster.has(CHAT)).isFalse();
    assertThat(names()).isEmpty();
  }

  @Test
  void endedReplicaIsReplacedAndTheStatusFollows() {
    serving();
    Job first = replicas().getFirst();

    FairleadSubmits.of(fairlead).cancel(ana(), first.id());
    pass(3);
    assertThat(told(CHAT)).startsWith("Reconciling WaitingForReplicas: 1 of 2 replicas are ready");

    pass(30);
    assertThat(told(CHAT)).startsWith("Ready Serving");
  }

  /** Fails when an interrupted step is lost, or done twice. */
  @Test
  void processDyingAtAnyCallIsFollowedByOneThatFinishes() {
    for (int call = 1; call <= 4; call++) {
      String uid = CHAT + call;
      cluster.serve(uid, "chat" + call, "v1");
      cluster.killsAt(call);
      try {
        pass(3);
      } catch (FrontCluster.Killed died) {
        pass = newPass();
      }
      pass(30);
      assertThat(told(uid)).as("killed at call %d", call).startsWith("Ready Serving");
      assertThat(view("chat" + call).latestVersion()).isEqualTo(1);
      cluster.delete(uid);
      pass(60);
      assertThat(names()).isEmpty();
    }
  }

  @Test
  void aStatusOfAnotherWriterIsWrittenAgain() {
    serving();

    cluster.forgetsStatus(CHAT);
    pass(2);

    assertThat(told(CHAT)).startsWith("Ready Serving");
  }

  /** Fails when each removal of the finalizer adds an entry to the audit. */
  @Test
  void finalizerRemovedByAUserIsAddedWithoutAnotherApply() {
    serving();
    int audited = stores.audit().entries().size();

    cluster.losesFinalizer(CHAT);
    pass(3);

    assertThat(cluster.held(CHAT)).isTrue();
    assertThat(stores.audit().entries()).hasSize(audited);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"chat.of-the-team", "../chat", "Chat", "chat-", "a-name-with-25-characters"})
  void invalidServiceNameIsStalled(String name) {
    cluster.serve(CHAT, name, "v1");
    pass(3);

    assertThat(told(CHAT)).startsWith("Stalled InvalidName: /metadata/name: ");
    assertThat(names()).isEmpty();
  }

  /** Fails when a service starts without an object whose deletion could end it. */
  @Test
  void modelServiceDeletedBeforeItsFinalizerHasNoService() {
    cluster.serve(CHAT, "chat", "v1");
    cluster.vanishesBeforeHold(CHAT);

    pass(5);

    assertThat(cluster.has(CHAT)).isFalse();
    assertThat(names()).isEmpty();
  }
}
