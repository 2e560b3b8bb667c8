package dev.fairlead.workload.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.MemberKey;
import dev.fairlead.job.MemberState;
import dev.fairlead.job.Specs;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.log.LogStore;
import dev.fairlead.log.memory.MemoryChunkStore;
import dev.fairlead.transaction.FenceLost;
import dev.fairlead.workload.ClusterGateway;
import dev.fairlead.workload.LogRequest;
import dev.fairlead.workload.ObservedMember;
import dev.fairlead.workload.ObservedWorkload;
import dev.fairlead.workload.WorkloadView;
import dev.fairlead.workload.service.pass.OutputStatus;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
  private final StringBuilder written = new StringBuilder();
  private MemberState state = MemberState.RUNNING;
  private @Nullable String silence;
  private boolean there = true;
  private long revision;
  private long nanos;

  private HeldLease lease = stores.leases().create(LEASE, "first").orElseThrow();
  private OutputCollector collector = collector(lease);

  @AfterEach
  void end() {
    workers.shutdownNow();
  }

  private OutputCollector collector(HeldLease held) {
    return new OutputCollector(
        held,
        new LogRepository(
            stores.transactions(), stores.jobs(), stores.tenants(), stores.logs(), chunks),
        new LogSettings(Duration.ofDays(14), 1, 1, 10, 10),
        new OutputStatus(),
        new Reads(workers),
        () -> nanos,
        meters);
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
      members.put(
          key,
          new ObservedMember(
              key, "uid", state, "node-1", true, null, null, null, null, null, false));
    }
    TreeMap<AttemptId, ObservedWorkload> all = new TreeMap<>();
    all.put(attempt.id(), new ObservedWorkload(attempt.id(), members, false));
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
  void outputIsKeptAsItIsWrittenAndUntilTheEnd() throws IOException {
    write("one");
    round();
    assertThat(read()).isEqualTo("one\n");
    write("two");
    round();
    state = MemberState.SUCCEEDED;
    written.append("2030-01-01T00:00:09Z last without an end");
    round();

    assertThat(read()).isEqualTo("one\ntwo\nlast without an end\n");
    assertThat(stored().log().endedAt()).isNotNull();
    assertThat(stored().parts()).as("small chunks become one").hasSize(1);
  }

  /** Fails when chunks that no log has pile up, or go while they may be read. */
  @Test
  void aChunkThatWasTakenInGoesAfterAWhile() {
    write("one");
    round();
    write("two");
    round();
    assertThat(chunks.paths()).hasSize(2);
    nanos += Duration.ofMinutes(30).toNanos();
    round();

    assertThat(chunks.paths()).hasSize(1);
  }

  /** Fails when a position lives in the process alone. */
  @Test
  void anotherSupervisorGoesOnWhereTheLastOneStopped() throws IOException {
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

  private void takeOver() {
    lease =
        stores.leases().takeOver(stores.leases().read(LEASE).orElseThrow(), "second").orElseThrow();
    collector = collector(lease);
  }

  /** Fails when a deposed supervisor's chunk counts, or takes the place of the new one's. */
  @Test
  void whatADeposedSupervisorTakesCountsForNothing() throws IOException {
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
  void whatAFullStoreDidNotTakeIsTakenWhenItHasRoom() throws IOException {
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
  void whatIsLostWithANodeIsMarked() throws IOException {
    write("one");
    round();
    write("two");
    silence = "node node-1 does not answer";
    round();
    there = false;
    round();

    assertThat(read())
        .isEqualTo("one\n[fairlead: the last output is missing: node node-1 does not answer]\n");
    assertThat(stored().log().gaps()).isEqualTo(1);
    assertThat(stored().log().endedAt()).isNotNull();
  }

  @Test
  void moreThanAMemberMayWriteIsCutWithAMark() throws IOException {
    for (int i = 0; i < 20; i++) {
      written.append("2030-01-01T00:00:00.5Z ").append("x".repeat(60_000)).append('\n');
    }
    round();
    round();

    assertThat(read())
        .endsWith(
            "[fairlead: what follows is not kept: a member's log has 1048576 bytes at most]\n");
    assertThat(stored().log().endedAt()).isNotNull();
  }
}
