package dev.fairlead.work.workload.output;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.log.memory.MemoryChunkStore;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.service.pass.OutputStatus;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;

/** One member on a cluster whose output the test writes. */
class OutputCollectorTest {
  private static final String LEASE = "cluster/one";
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Attempt attempt =
      world.run(world.place(world.submit(Specs.job("train").gpus(1)), 0, "node-1"));
  private final MemberKey key = MemberKey.of(attempt.members().getFirst());
  private final MemoryChunkStore chunks = new MemoryChunkStore();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final LogMeters meters = new LogMeters(metrics, LEASE);
  private final ExecutorService workers = Executors.newFixedThreadPool(2);
  private final OutputStatus gate = new OutputStatus();
  private final StringBuilder written = new StringBuilder();
  private MemberState state = MemberState.RUNNING;
  private @Nullable String silence;
  private boolean there = true;
  private final List<AttemptId> attempts = new ArrayList<>(List.of(attempt.id()));
  private @Nullable AttemptId refused;
  private long revision;
  private long nanos;

  private HeldLease lease = stores.leases().create(LEASE, "first").orElseThrow();
  private OutputCollector collector = collector(lease);

  @AfterEach
  void end() {
    workers.shutdownNow();
  }

  private OutputCollector collector(HeldLease held) {
    return collector(world.cluster().id(), held);
  }

  private OutputCollector collector(ClusterId cluster, HeldLease held) {
    return new OutputCollector(
        new OutputCollector.HeldCluster(cluster, held),
        new LogRepository(stores.transactions(), stores.jobs(), stores.tenants(), index(), chunks),
        new LogSettings(Duration.ofDays(14), 1, 1, 10, 10),
        gate,
        new Reads(workers, Duration.ofSeconds(30)),
        () -> nanos,
        meters);
  }

  /** An index that refuses the writes of one attempt. */
  private LogStore index() {
    return (LogStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {LogStore.class},
            (proxy, method, args) -> {
              if (method.getName().equals("write")
                  && ((List<?>) args[0])
                      .stream()
                          .anyMatch(step ->
                              ((LogStore.Step) step).log().of().attempt().equals(refused))) {
                throw new DataIntegrityViolationException("a value is out of range");
              }
              return method.invoke(stores.logs(), args);
            });
  }

  private void write(String line) {
    written
        .append("2030-01-01T00:00:0%d.5Z ".formatted(written.length() / 100))
        .append(line)
        .append('\n');
  }

  private void round() {
    nanos += Duration.ofSeconds(31).toNanos();
    collector.round(gateway());
  }

  private ClusterGateway gateway() {
    return (ClusterGateway)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ClusterGateway.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "workloadsSince" -> view();
                  case "logs" -> output((LogRequest) args[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private WorkloadView view() {
    TreeMap<MemberKey, ObservedMember> members = new TreeMap<>();
    if (there) {
      members.put(key, ObservedMember.of(key, "uid", state, "node-1").withStarted(true));
    }
    TreeMap<AttemptId, ObservedWorkload> all = new TreeMap<>();
    attempts.forEach(id -> all.put(id, new ObservedWorkload(id, members, false)));
    return new WorkloadView(++revision, false, all);
  }

  private InputStream output(LogRequest request) throws IOException {
    if (silence != null) {
      throw new IOException(silence);
    }
    StringBuilder answer = new StringBuilder();
    for (String line : written.toString().split("(?<=\n)", -1)) {
      boolean old =
          request.since() != null
              && line.compareTo(request.since().toString().substring(0, 19)) < 0;
      answer.append(old ? "" : line);
    }
    return new ByteArrayInputStream(answer.toString().getBytes(StandardCharsets.UTF_8));
  }

  private LogStore.Whole stored() {
    return stores.logs().whole(world.tenant().id(), attempt.id(), key).orElseThrow();
  }

  private String read() throws IOException {
    LogStore.Whole whole = stored();
    try (InputStream log =
        new WholeOutput(chunks, whole.log().of(), whole.parts(), 0, null, null)) {
      return new String(log.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void outputIsStoredAsItIsWrittenUntilTheEnd() throws IOException {
    write("one");
    round();
    assertThat(read()).isEqualTo("one\n");
    write("two");
    round();
    state = MemberState.SUCCEEDED;
    written.append("2030-01-01T00:00:09Z last without an end");
    round();

    assertThat(read()).satisfies(reason("output-collector.one-two-last-without"));
    assertThat(stored().log().endedAt()).isNotNull();
    assertThat(stored().parts()).as("small chunks become one").hasSize(1);
  }

  /** Fails when chunks without a log accumulate, or are removed while they may be read. */
  @Test
  void mergedChunkIsDeletedAfterAWhile() {
    write("one");
    round();
    write("two");
    round();
    assertThat(chunks.paths()).hasSize(2);
    nanos += Duration.ofMinutes(30).toNanos();
    round();

    assertThat(chunks.paths()).hasSize(1);
  }

  /** Fails when a position is only in the process. */
  @Test
  void newSupervisorResumesAtTheLastPosition() throws IOException {
    write("one");
    write("two");
    round();
    write("three");
    takeOver();
    round();
    write("four");
    round();

    assertThat(read()).isEqualTo("one\ntwo\nthree\nfour\n");
  }

  /** Fails when another cluster's objects of an attempt are read as its output. */
  @Test
  void outputOfAnotherClusterUnderTheAttemptIsIgnored() throws IOException {
    write("one");
    round();
    OutputCollector other =
        collector(
            new ClusterId(new UUID(8, 8)),
            stores.leases().create("cluster/other", "first").orElseThrow());
    written.setLength(0);
    written.append("2030-01-01T00:00:05Z of another cluster\n");
    nanos += Duration.ofSeconds(31).toNanos();
    other.round(gateway());

    assertThat(read()).isEqualTo("one\n");
  }

  private void takeOver() {
    lease =
        stores.leases().takeOver(stores.leases().read(LEASE).orElseThrow(), "second").orElseThrow();
    collector = collector(lease);
  }

  /** Fails when a replaced supervisor's chunk counts, or replaces the new one's. */
  @Test
  void outputReadByADeposedSupervisorIsIgnored() throws IOException {
    write("one");
    round();
    OutputCollector deposed = collector;
    takeOver();
    write("two");
    round();
    write("three");
    collector = deposed;
    try {
      round();
    } catch (FenceLost lost) {
      assertThat(lost).isNotNull();
    }

    assertThat(read()).isEqualTo("one\ntwo\n");
  }

  @Test
  void outputRejectedByAFullStoreIsStoredOnceItHasRoom() throws IOException {
    write("one");
    chunks.fails("No space left on device");
    round();
    assertThat(chunks.paths()).isEmpty();
    chunks.fails(null);
    round();

    assertThat(read()).isEqualTo("one\n");
    assertThat(metrics.counter("fairlead.log.store.failures", "cluster", LEASE).count())
        .isBetween(0.0, 1.0);
  }

  @Test
  void outputLostWithANodeIsMarked() throws IOException {
    write("one");
    round();
    write("two");
    silence = "node node-1 does not answer";
    round();
    there = false;
    round();

    assertThat(read()).satisfies(reason("output-collector.one-fairlead-last-output", "node-1"));
    assertThat(stored().log().gaps()).isEqualTo(1);
    assertThat(stored().log().endedAt()).isNotNull();
  }

  @Test
  void outputAboveTheLimitOfAMemberIsTruncatedWithAMarker() throws IOException {
    for (int i = 0; i < 20; i++) {
      written.append("2030-01-01T00:00:00.5Z ").append("x".repeat(60_000)).append('\n');
    }
    round();
    round();

    String mark =
        "[fairlead: further output is not stored: a member's log has at most 1048576 bytes]\n";
    assertThat(read()).endsWith("x\n" + mark);
    assertThat(stored().log().endedAt()).as("it still runs").isNull();

    state = MemberState.SUCCEEDED;
    round();
    assertThat(read()).endsWith("x\n" + mark);
    assertThat(stored().log().endedAt()).isNotNull();
  }

  /** Fails when an earlier failure prevents the only read of the end. */
  @Test
  void earlierFailuresDoNotCountAfterTheEnd() throws IOException {
    write("one");
    silence = "the connection was reset";
    round();
    silence = null;
    state = MemberState.FAILED;
    round();

    assertThat(read()).isEqualTo("one\n");
  }

  /** Fails when collection ends while the pod exists. */
  @Test
  void endedMemberIsReadAgainWhileItsPodExists() throws IOException {
    write("one");
    state = MemberState.SUCCEEDED;
    silence = "the cluster does not answer";
    for (int i = 0; i < 5; i++) {
      round();
    }
    silence = null;
    round();

    assertThat(read()).isEqualTo("one\n");
  }

  /** Fails when a read that never started counts as unanswered. */
  @Test
  void unstartedReadIsPostponed() {
    try (ExecutorService busy = Executors.newSingleThreadExecutor()) {
      CountDownLatch released = new CountDownLatch(1);
      busy.execute(() -> {
        try {
          released.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
      FollowedMember member = new FollowedMember(attempt.id(), key, 0);
      MemberLog log =
          MemberLog.begin(
              new LogMember(
                  world.tenant().id(), world.project().id(), attempt.job(), attempt.id(), key));
      MemberRead reading = new MemberRead(chunks, 1, member, log, world.now());
      Reads.Task task = new Reads.Task(InputStream::nullInputStream, reading, member);

      assertThat(new Reads(busy, Duration.ZERO).run(List.of(task), 1)).isEmpty();
      released.countDown();
    }
  }

  /** Fails when one value that the database refuses stops the logs of a whole cluster. */
  @Test
  void memberRejectedByTheDatabaseDelaysNoOther() throws IOException {
    Attempt other = world.run(world.place(world.submit(Specs.job("bad").gpus(1)), 0, "node-1"));
    attempts.add(other.id());
    refused = other.id();
    write("one");
    round();

    assertThat(read()).isEqualTo("one\n");
    assertThat(chunks.paths()).as("no chunk is left of the refused").hasSize(1);
  }

  /** Fails when failing members remain first in the queue. */
  @Test
  void unknownMembersDelayNoOther() throws IOException {
    attempts.clear();
    for (int i = 0; i < 10; i++) {
      attempts.add(new AttemptId(UUID.randomUUID()));
    }
    round();
    attempts.add(attempt.id());
    write("one");
    round();
    round();

    assertThat(read()).isEqualTo("one\n");
  }

  private FollowedMember member(int project, int index, boolean ended, long since) {
    AttemptId id = new AttemptId(new UUID(project, index));
    FollowedMember member = new FollowedMember(id, key, since);
    if (ended) {
      member.ends(true, since);
    }
    ProjectId owner = new ProjectId(new UUID(0, project));
    member.resolved(
        MemberLog.begin(new LogMember(world.tenant().id(), owner, attempt.job(), id, key)), "x");
    return member;
  }

  /** Fails when the ended members of one project take all slots. */
  @Test
  void projectsTakeTurnsAndRunningMembersRetainSlots() {
    List<FollowedMember> due = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      due.add(member(1, i, true, 0));
      due.add(member(1, 100 + i, false, 0));
    }
    FollowedMember ended = member(2, 1, true, 9);
    FollowedMember running = member(3, 1, false, 9);
    due.add(ended);
    due.add(running);

    assertThat(OutputTurn.of(due, 8)).hasSize(8).contains(ended, running);
    assertThat(OutputTurn.of(List.of(running), 8)).containsExactly(running);
  }
}
