package dev.fairlead.work.workload.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.audit.AuditFilter;
import dev.fairlead.people.audit.AuditPosition;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.SessionRequest;
import dev.fairlead.work.workload.service.ClusterConnections;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class JobSessionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final SessionSettings SETTINGS =
      new SessionSettings(20, Duration.ofHours(1), Duration.ofHours(12), "");
  private static final SessionRequest.Command CAT =
      new SessionRequest.Command(List.of("cat"), true, false);
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final JobSessions sessions =
      new JobSessions(
          stores.transactions(),
          stores.jobs(),
          stores.tenants(),
          new ClusterConnections(List.of(new Opening()), stores.inventory(), stores.leases()),
          () -> new LimitBook(List.of(), 0),
          stores.audit(),
          SETTINGS,
          new SimpleMeterRegistry());
  private final JobSessions.Found found = found();

  private JobSessions.Found found() {
    Job job = world.submit(Specs.job("train"));
    Member member =
        Member.planned(
            "worker",
            0,
            new NodeId(new UUID(1, 1)),
            "node-1",
            new Flavor("H100", CapacityType.ON_DEMAND),
            ResourceVector.of(1000, 1000, 8000, 1),
            List.of());
    Attempt attempt = world.attempt(job, 0, List.of(member));
    Actor ana = new Actor(world.tenant().id(), "ana");
    return new JobSessions.Found(ana, world.project(), job, attempt, member, null);
  }

  /** Opens sessions in members that are silent. */
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

  private static final class SilentMember implements MemberSession {
    private final AtomicInteger closed = new AtomicInteger();

    @Override
    public void send(ByteBuffer frame) {
      assertThat(closed).hasValue(0);
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private static class Caller implements SessionClient {
    private final CompletableFuture<SessionEnd> end = new CompletableFuture<>();

    @Override
    public void frame(ByteBuffer frame) {
      assertThat(end).isNotDone();
    }

    @Override
    public void ended(SessionEnd how) {
      assertThat(end.complete(how)).as("ended once").isTrue();
    }

    @Override
    public boolean permitted() {
      return true;
    }

    SessionEnd awaitEnd() throws Exception {
      return end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  private static final class Revoked extends Caller {
    @Override
    public boolean permitted() {
      return false;
    }
  }

  private OpenSession open(Caller caller, AtomicLong nanos) {
    return new OpenSession(
        found,
        CAT,
        new OpenSession.Peer(caller, false),
        SETTINGS,
        new OpenHandles(2, "sessions").enter(found.actor()),
        nanos::get,
        (session, end) -> end);
  }

  private static SessionEnd rule(String why) {
    return new SessionEnd(SessionEnd.Cause.RULE, why);
  }

  /** Fails when a session outlives a limit, or ends although it is within all limits. */
  @Test
  void sessionEndsWithItsTimeAndTheAccessOfItsCaller() throws Exception {
    AtomicLong later = new AtomicLong();
    Caller busy = new Caller();
    Caller idle = new Caller();
    Caller revoked = new Revoked();
    Caller off = new Caller();
    OpenSession typing = open(busy, later);
    OpenSession quiet = open(idle, later);
    later.set(SETTINGS.idle().toNanos() + 1);
    SilentMember member = new SilentMember();
    typing.start(member, () -> true);
    typing.send(ByteBuffer.wrap(new byte[] {MemberSession.INPUT, 'x'}));
    SilentMember left = new SilentMember();
    quiet.start(left, () -> true);
    open(revoked, new AtomicLong()).start(new SilentMember(), () -> true);
    open(off, new AtomicLong()).start(new SilentMember(), () -> false);

    assertThat(idle.awaitEnd()).isEqualTo(rule("no data for 1h"));
    assertThat(left.closed).hasValue(1);
    assertThat(revoked.awaitEnd())
        .isEqualTo(rule("the access of this caller has ended or cannot be checked"));
    assertThat(off.awaitEnd()).isEqualTo(rule("sessions are now off for this project"));
    assertThat(busy.end).isNotDone();
    later.set(SETTINGS.longest().toNanos() + 1);
    typing.send(ByteBuffer.wrap(new byte[] {MemberSession.INPUT, 'x'}));
    assertThat(busy.awaitEnd()).isEqualTo(rule("the longest session takes 12h"));
    assertThat(member.closed).hasValue(1);
  }

  /** Fails when output reaches a caller after its access has ended. */
  @Test
  void noOutputIsSentAfterTheEnd() throws Exception {
    Caller caller = new Caller();
    OpenSession session = open(caller, new AtomicLong());
    session.start(new SilentMember(), () -> true);
    ByteBuffer frame = ByteBuffer.wrap(new byte[] {MemberSession.OUTPUT, 'x'});
    session.receiver().frame(frame);
    session.end(rule("revoked"));

    assertThatThrownBy(() -> session.receiver().frame(frame)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> session.send(frame)).isInstanceOf(IOException.class);
    session.close();
    assertThat(caller.awaitEnd()).isEqualTo(rule("revoked"));
  }

  /** Fails when a user can open a session and learn its token before its later user has it. */
  @Test
  void aMemberOfAWarmPoolOpensNoSessionBeforeASubmitTakesIt() {
    Job warm = world.submit(Specs.job("h100-warm-1").label(WarmMember.LABEL, "h100"));
    Attempt attempt = world.run(world.place(warm, 0, "node-1"));
    JobSessions.Request first = new JobSessions.Request(null, null, 0);
    assertThatThrownBy(() -> sessions.find(found.actor(), warm.id(), first))
        .hasMessageContaining("waits in a warm pool");

    Job wanted = world.submit(Specs.job("eda"));
    world.cancel(wanted);
    Job member = world.job(warm);
    stores.jobs().append(List.of(OwnerTransitions.take(member, attempt, wanted, world.now())));
    assertThatThrownBy(() -> sessions.find(found.actor(), warm.id(), first))
        .hasMessageContaining("is PENDING");
  }

  /** Fails when each caller that reads nothing delays the shutdown by its own time. */
  @Test
  void shutdownEndsAllSessionsWithinOneTimeout() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    sessions.start();
    for (int i = 0; i < 4; i++) {
      sessions.open(
          found,
          CAT,
          new Caller() {
            @Override
            public void ended(SessionEnd how) {
              try {
                released.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            }
          });
    }
    Caller reading = new Caller();
    sessions.open(found, CAT, reading);
    Thread stopping = Thread.ofVirtual().start(sessions::stop);

    assertThat(stopping.join(Duration.ofSeconds(5))).as("stopped").isTrue();
    released.countDown();
    assertThat(reading.awaitEnd().cause()).isEqualTo(SessionEnd.Cause.SHUTDOWN);
    assertThatThrownBy(() -> sessions.open(found, CAT, new Caller()))
        .hasMessageContaining("shutting down");
    assertThat(
            stores
                .transactions()
                .read(() ->
                    stores
                        .audit()
                        .newest(world.tenant().id(), AuditFilter.ALL, AuditPosition.END, 20)))
        .filteredOn(row -> row.operation().equals("execJob"))
        .hasSize(10);
  }
}
