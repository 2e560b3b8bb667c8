package dev.fairlead.work.workload.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.Origin;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.service.ClusterConnections;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class BrowserSessionsTest {
  private static final SessionSettings SETTINGS =
      new SessionSettings(20, Duration.ofHours(1), Duration.ofHours(12), "");
  private static final Origin ORIGIN = new Origin("request", "192.0.2.1");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
  private final CompletableFuture<String> closed = new CompletableFuture<>();
  private final JobSessions jobs =
      new JobSessions(
          stores.transactions(),
          stores.jobs(),
          stores.tenants(),
          new ClusterConnections(List.of(new Opening()), stores.inventory(), stores.leases()),
          () -> new LimitBook(List.of(), 0),
          stores.audit(),
          SETTINGS,
          new SimpleMeterRegistry());
  private final BrowserSessions sessions =
      new BrowserSessions(
          jobs,
          stores.transactions(),
          stores.audit(),
          SETTINGS,
          purpose -> Optional.of(new byte[32]),
          stores.ids(),
          now::get);

  /** Opens connections to members that are silent. */
  private final class Opening implements ClusterConnector {
    @Override
    public ClusterKind kind() {
      return world.cluster().kind();
    }

    @Override
    public ClusterGateway connect(
        Installation installation, Cluster cluster, Connection connection) {
      return (ClusterGateway)
          Proxy.newProxyInstance(
              ClusterGateway.class.getClassLoader(),
              new Class<?>[] {ClusterGateway.class},
              (self, method, arguments) ->
                  method.getName().equals("open") ? new SilentMember() : null);
    }
  }

  private final class SilentMember implements MemberSession {
    @Override
    public void send(ByteBuffer frame) {}

    @Override
    public void close() {
      closed.complete("closed");
    }
  }

  private SessionPass passUntil(Job job, Instant end) {
    return new SessionPass(
        "p", job.id(), job.tenant(), "ana", "proof", 8888, "", Instant.EPOCH, end);
  }

  private Job running() {
    Job job = world.submit(Specs.job("eda"));
    Attempt placed = world.place(job, 0, "node-1");
    world.append(
        JobTransitions.observe(
            world.jobOf(placed),
            null,
            placed.with(
                placed.members().stream()
                    .map(m ->
                        m.withStatus(
                            m.status()
                                .with()
                                .state(MemberState.RUNNING)
                                .uid("u")
                                .startedAt(world.now())
                                .build()))
                    .toList()),
            null,
            List.of(),
            world.now(),
            "test"));
    return job;
  }

  /** Fails when an open page outlives the access that roles of a token of the issuer give. */
  @Test
  void openConnectionsEndWithTheirSessionPass() throws Exception {
    jobs.start();
    SessionPass pass = passUntil(running(), Instant.EPOCH.plusSeconds(60));
    BrowserSession session = sessions.of(pass, ORIGIN, () -> true);
    session.lend(false);
    assertThat(closed).isNotDone();

    now.set(pass.end());
    assertThat(closed.get(60, TimeUnit.SECONDS)).isEqualTo("closed");
    assertThat(session.over()).isTrue();
  }
}
