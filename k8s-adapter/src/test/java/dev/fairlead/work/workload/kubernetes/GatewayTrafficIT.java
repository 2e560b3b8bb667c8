package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests of a model service through a real Traefik. Run by {@code make services}. */
@OnControlPlane
@Tag("long")
class GatewayTrafficIT extends ServedModel {
  /** Sent between two plans. */
  private static final int REQUESTS = 200;

  /** Between two passes of Fairlead. */
  private static final Duration PASS = Duration.ofSeconds(2);

  /** Between two requests. */
  private static final Duration GAP = Duration.ofMillis(3);

  /** Longer than the time between two heartbeats of a node. */
  private static final Duration RETURN = Duration.ofSeconds(20);

  /** Duration of each of the three outages: FAIRLEAD_OUTAGE is its ISO duration. */
  private static final Duration AWAY =
      Duration.parse(System.getenv().getOrDefault("FAIRLEAD_OUTAGE", "PT20S"));

  /** Fails when Traefik names its backends or statuses differently from the counters. */
  @Test
  void aBadVersionIsRolledBackBehindARealTraefik() {
    AtomicInteger all = new AtomicInteger();
    AtomicInteger bad = new AtomicInteger();
    AtomicInteger ofTwo = new AtomicInteger();
    try (RealTraefik traefik = new RealTraefik(cluster);
        FakeApiServer metrics =
            new FakeApiServer(
                (exchange, n) -> FakeApiServer.send(exchange, 200, traefik.metrics()))) {
      cluster.apply(GATEWAY.formatted("traefik", RealTraefik.CONTROLLER, traefik.port()));
      Connection.Kubernetes at = metrics.connection("127.0.0.1");
      connect("traefik", new Prometheus(at.server() + "/metrics", at.caData(), false));
      Consumer<SortedMap<Integer, Integer>> traffic =
          weights -> {
            for (int i = 0; i < REQUESTS && !weights.isEmpty(); i++) {
              all.incrementAndGet();
              bad.addAndGet(traefik.request(chat.route()) >= 500 ? 1 : 0);
            }
          };
      Replica one = runs(1);
      traefik.answers(address(one), 9001, () -> 200);
      ServiceState state =
          ServiceState.first(chat.id(), new TenantId(ids.next()), "d", chat.route())
              .with(List.of(one));
      state = until(state, s -> s.weights().equals(new TreeMap<>(Map.of(1, 100))), none -> {});
      var _ = served(ServiceRoute.of(chat, state, "here"));
      eventually("it routes", () -> traefik.request(chat.route()) == 200);

      state = state.released(NOW);
      Replica two = runs(2);
      traefik.answers(address(two), 9002, () -> ofTwo.incrementAndGet() % 5 == 0 ? 503 : 200);
      long started = System.nanoTime();
      List<Replica> both = new ArrayList<>(state.replicas());
      both.add(two);
      state =
          until(state.with(both), s -> s.rollout().phase() == RolloutPhase.ROLLED_BACK, traffic);
      assertThat(state.rollout().test().canary().bad()).as(traefik.log()).isPositive();
      var _ = served(ServiceRoute.of(chat, state, "here"));
      double seconds = (System.nanoTime() - started) / 1e9;
      int before = ofTwo.get();
      eventually("nothing reaches version 2", () -> quiet(traefik, ofTwo));
      System.out.printf(
          "figure services: version 2 with 20 %% errors left traffic after %d of its requests and"
              + " %.1f s; %d of %d requests failed%n",
          before, seconds, bad.get(), all.get());
    }
  }

  /** Fails when a request fails while Fairlead, the API server, or both are away. */
  @Test
  void requestsAreAnsweredWhileFairleadAndTheApiServerAreAway() {
    assumeTrue(cluster.owns(), "another process started the API server");
    try (RealTraefik traefik = new RealTraefik(cluster)) {
      cluster.apply(GATEWAY.formatted("away", RealTraefik.CONTROLLER, traefik.port()));
      connect("away", null);
      Replica one = runs(1);
      traefik.answers(address(one), 9001, () -> 200);
      ServiceState state =
          ServiceState.first(chat.id(), new TenantId(ids.next()), "d", chat.route())
              .with(List.of(one));
      state = until(state, s -> s.weights().equals(new TreeMap<>(Map.of(1, 100))), none -> {});
      ServiceRoute route = ServiceRoute.of(chat, state, "here");
      var _ = served(route);
      eventually("it routes", () -> traefik.request(chat.route()) == 200);

      sent(traefik, "Fairlead was", () -> false);
      cluster.signal("kube-apiserver", "STOP");
      try {
        sent(
            traefik,
            "the API server was",
            () -> gateway.serving().serve(List.of(route)).isPresent());
        sent(traefik, "both were", () -> false);
      } finally {
        cluster.signal("kube-apiserver", "CONT");
      }
      returned(traefik);
      var _ = served(route);
      eventually("it routes again", () -> traefik.request(chat.route()) == 200);
    }
  }

  /**
   * Prints what happens when the API server returns: the Kubernetes node controller can mark nodes
   * as not ready before their next heartbeat, and then no Service has a ready endpoint.
   */
  private void returned(RealTraefik traefik) {
    int failed = 0;
    int all = 0;
    for (long end = System.nanoTime() + RETURN.toNanos(); System.nanoTime() < end; all++) {
      failed += traefik.request(chat.route()) == 200 ? 0 : 1;
      LockSupport.parkNanos(GAP.toNanos());
    }
    System.out.printf(
        "figure services: %d of %d requests failed in %d s after the return of the API server (of"
            + " nodes that Kubernetes marks as not ready until their heartbeat)%n",
        failed, all, RETURN.toSeconds());
  }

  /**
   * Requests for the time of an outage.
   *
   * @param pass passes of Fairlead, one after the other, until one succeeds
   */
  private void sent(RealTraefik traefik, String away, BooleanSupplier pass) {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Boolean> passes =
        CompletableFuture.supplyAsync(() -> {
          boolean reached = pass.getAsBoolean();
          while (!reached && !over.get()) {
            LockSupport.parkNanos(PASS.toNanos());
            reached = pass.getAsBoolean();
          }
          return reached;
        });
    int failed = 0;
    int all = 0;
    for (long end = System.nanoTime() + AWAY.toNanos(); System.nanoTime() < end; all++) {
      failed += traefik.request(chat.route()) == 200 ? 0 : 1;
      LockSupport.parkNanos(GAP.toNanos());
    }
    over.set(true);
    assertThat(passes.join()).as("a pass reached the API server").isFalse();
    System.out.printf(
        "figure services: %d of %d requests failed while %s away for %d s%n",
        failed, all, away, AWAY.toSeconds());
    assertThat(failed).as(traefik.log()).isZero();
  }

  private boolean quiet(RealTraefik traefik, AtomicInteger ofTwo) {
    int before = ofTwo.get();
    for (int i = 0; i < 20; i++) {
      assertThat(traefik.request(chat.route())).isIn(200, 503);
    }
    return ofTwo.get() == before;
  }

  /** Address of the pod of a replica. */
  private String address(Replica replica) {
    List<String> found = new ArrayList<>();
    eventually(
        "its pod has an address",
        () -> {
          admin
              .pods()
              .inNamespace(namespace)
              .withLabel("fairlead.dev/job", bare(replica))
              .list()
              .getItems()
              .forEach(pod -> {
                if (pod.getStatus().getPodIP() != null) {
                  found.add(pod.getStatus().getPodIP());
                }
              });
          return !found.isEmpty();
        });
    return found.getFirst();
  }

  private static String bare(Replica replica) {
    return replica.job() == null ? "" : replica.job().bare();
  }
}
