package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.Idleness;
import dev.fairlead.work.serving.Idleness.Phase;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.service.GatedService;
import dev.fairlead.work.serving.service.GatedServices;
import dev.fairlead.work.serving.service.ModelServiceView;
import dev.fairlead.work.serving.service.RolloutOrder;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A model service that sleeps without requests, on a simulated cluster. */
class ServiceSleepTest extends ServiceScene {
  /** Requests end a minute after the first replica is ready, and begin again after a wake. */
  private static Specs quiet(String run) {
    return server(run).annotation("sim.fairlead.dev/requests", "100, 0 after 1m");
  }

  @BeforeEach
  void mayBeIdleForTwoMinutes() {
    idleAfter = Duration.ofMinutes(2);
  }

  private ModelServiceView.IdleView idle() {
    return chat().idle();
  }

  private List<Job> active() {
    return jobs().stream().filter(job -> !job.run().ended()).toList();
  }

  private void asleep() {
    apply(quiet("v1"), 0, 2);
    pass(60);
    assertThat(idle().phase()).isEqualTo(Phase.AWAKE);
    assertThat(ready()).isEqualTo(1);
    pass(180);
    assertThat(idle().phase()).isEqualTo(Phase.SLEEPING);
  }

  /** Fails when a replica or its quota remains, or the service sleeps while it has requests. */
  @Test
  void serviceWithoutRequestsSleepsAndReleasesItsQuota() {
    asleep();
    assertThat(active()).isEmpty();
    assertThat(chat().replicas()).isEmpty();
    assertThat(chat().wantedReplicas()).isZero();
    assertThat(idle().reason()).satisfies(reason("service-sleep.had-requests", "2m"));
    quota(0);
    pass(30);
    assertThat(active()).isEmpty();
  }

  @Test
  void aServiceWithRequestsStaysAwake() {
    apply(server("v1"), 0, 2);
    pass(600);
    assertThat(idle().phase()).isEqualTo(Phase.AWAKE);
    assertThat(weight(1)).isEqualTo(100);
  }

  /** Fails when requests still go to replicas that are about to be stopped. */
  @Test
  void theRouteLeavesTheReplicasBeforeTheyStop() {
    apply(quiet("v1"), 0, 2);
    boolean closed = false;
    for (int i = 0; i < 300 && idlePhase() != Phase.SLEEPING; i++) {
      pass(1);
      if (idlePhase() == Phase.CLOSING) {
        closed = true;
        assertThat(weight(1)).isZero();
        assertThat(ready()).isEqualTo(1);
      }
    }
    assertThat(closed).isTrue();
  }

  private Phase idlePhase() {
    Idleness idle = state().idleness();
    return idle == null ? null : idle.phase();
  }

  @Test
  void aWakeStartsAReplicaAndShowsHowLongStartsTake() {
    asleep();
    services.wake(fairlead.ana(), CHAT, false);
    assertThat(idle().phase()).isEqualTo(Phase.WAKING);
    assertThat(idle().reason()).startsWith("woken by ana");
    assertThat(idle().lastWake()).isEqualTo(stores.clock().instant());
    pass(30);
    assertThat(idle().phase()).isEqualTo(Phase.AWAKE);
    assertThat(weight(1)).isEqualTo(100);
    assertThat(idle().startBudget()).isNotNull();
  }

  /** Fails when the reason is missing why a wake has no effect yet. */
  @Test
  void aWakeWithoutQuotaStatesTheReason() {
    asleep();
    quota(0);
    services.wake(fairlead.ana(), CHAT, false);
    pass(30);
    assertThat(idle().phase()).isEqualTo(Phase.WAKING);
    assertThat(idle().reason()).contains("1 not ready: ", "waits: ", "quota");
  }

  @Test
  void aWakeOfAServiceThatNeverSleepsChangesNothing() {
    idleAfter = null;
    serving();
    long before = state().revision();
    services.wake(fairlead.ana(), CHAT, false);
    assertThat(state().revision()).isEqualTo(before);
    assertThat(idle()).isNull();
  }

  /**
   * Fails when a version applied while the service sleeps is never evaluated, or does not wake it.
   */
  @Test
  void anAppliedVersionWakesTheServiceAndItsRolloutWaitsWhileItSleeps() {
    asleep();
    apply(quiet("v2").annotation("sim.fairlead.dev/requests", "0"), 0, 2);
    pass(60);
    assertThat(idle().phase()).isEqualTo(Phase.AWAKE);
    pass(180);
    assertThat(idle().phase()).isEqualTo(Phase.SLEEPING);
    assertThat(active()).isEmpty();
    assertThat(phase()).isNotEqualTo(RolloutPhase.PROMOTED);
    assertThat(chat().rollout().reason()).contains("the service sleeps");

    services.order(fairlead.ana(), RolloutOrder.PAUSE, CHAT, 2, false);
    pass(2);
    assertThat(chat().rollout().reason())
        .startsWith("paused by ana since ")
        .contains("retains 0 replicas of version 2");

    services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false);
    pass(30);
    assertThat(phase()).isEqualTo(RolloutPhase.PROMOTED);
    assertThat(weight(2)).isEqualTo(100);
  }

  private GatedServices gate(ServingStore versions) {
    return new GatedServices(
        versions, stores.configs(), stores.tenants(), stores.transactions(), stores.clock());
  }

  /** Fails when the gate wakes nothing, or forwards before a replica is ready. */
  @Test
  void aRequestAtTheGateWakesTheService() {
    GatedServices gate = gate(stores.services());
    asleep();
    GatedService before = gate.byHost().get("chat.example");
    assertThat(before.open()).isFalse();
    gate.wake(before);
    gate.wake(before); // another process made the same decision
    assertThat(idle().phase()).isEqualTo(Phase.WAKING);
    assertThat(idle().reason()).satisfies(reason("service-sleep.request-waits-gate"));
    pass(30);
    GatedService after = gate.byHost().get("chat.example");
    assertThat(after.open()).isTrue();
    assertThat(after.patience(Duration.ofMinutes(10))).isEqualTo(Duration.ofSeconds(30));
    assertThat(before.target(99)).isEmpty();
    assertThat(after.target(99))
        .hasValueSatisfying(target ->
            assertThat(target.address().toString())
                .matches("http://fl-" + state().id().bare() + "-v1\\..+\\.svc:8080"));
  }

  /** Fails when each pass of the gate reads each version, or an unreadable one stops the pass. */
  @Test
  void gateReadsTheAddressOfAVersionOnce() {
    List<Object> reads = new ArrayList<>();
    ServingStore counted =
        (ServingStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ServingStore.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("version")) {
                    reads.add(arguments[2]);
                    if (reads.size() == 1) {
                      throw new IllegalStateException("a broken row");
                    }
                  }
                  return method.invoke(stores.services(), arguments);
                });
    serving();
    GatedServices gate = gate(counted);
    assertThat(gate.byHost().get("chat.example").target(0)).isEmpty();
    assertThat(gate.byHost().get("chat.example").target(0)).isPresent();
    assertThat(gate.byHost().get("chat.example").target(0)).isPresent();
    assertThat(reads).containsExactly(1, 1);
  }

  /** Fails when a patch right after the first apply loses the time, because it reads the view. */
  @Test
  void theIdleTimeIsShownBeforeTheFirstPlan() {
    ModelServiceView.IdleView first = apply(quiet("v1"), 0, 2).idle();
    assertThat(first.after()).isEqualTo("2m");
    assertThat(first.phase()).isEqualTo(Phase.WAKING);
  }

  @Test
  void aServiceThatSleepsCanBeDeleted() {
    asleep();
    services.remove(fairlead.ana(), CHAT, false);
    pass(5);
    assertThat(stores.services().all()).isEmpty();
  }
}
