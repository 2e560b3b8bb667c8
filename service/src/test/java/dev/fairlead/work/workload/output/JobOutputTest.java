package dev.fairlead.work.workload.output;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogPosition;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.log.memory.MemoryChunkStore;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A running member: one line is stored, and its cluster returns the lines of the test. */
class JobOutputTest {
  private static final String ONE = "2030-01-01T00:00:01Z one\n";
  private static final String TWO = "2030-01-01T00:00:02Z two\n";
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Attempt attempt =
      world.run(world.place(world.submit(Specs.job("train").gpus(1)), 0, "node-1"));
  private final LogMember of =
      new LogMember(
          world.tenant().id(),
          world.project().id(),
          attempt.job(),
          attempt.id(),
          MemberKey.of(attempt.members().getFirst()));
  private final Actor caller = new Actor(world.tenant().id(), "ana", Role.ADMIN);
  private final MemoryChunkStore chunks = new MemoryChunkStore();
  private @Nullable String cluster = ONE + TWO;

  @SuppressWarnings("NullAway") // no cluster is connected
  private final LiveOutput live =
      new LiveOutput(null) {
        @Override
        InputStream open(
            JobOutput.Source source,
            @Nullable Integer tail,
            @Nullable Instant since,
            boolean follow) {
          if (cluster == null) {
            throw new Refusal(ProblemCode.UNAVAILABLE, "The cluster is away.");
          }
          return new ByteArrayInputStream(cluster.getBytes(StandardCharsets.UTF_8));
        }
      };

  private final JobOutput output =
      new JobOutput(
          stores.transactions(),
          stores.jobs(),
          stores.tenants(),
          live,
          stores.logs(),
          chunks,
          InstantSource.fixed(world.now()));

  private void keepOne() throws IOException {
    NewLines lines =
        new NewLines(
            OutputLines.ofCluster(
                new ByteArrayInputStream(ONE.getBytes(StandardCharsets.UTF_8)),
                InstantSource.fixed(world.now())),
            LogPosition.START);
    NewLines.NewLine line = lines.next();
    lines.take(line);
    ChunkWriter chunk = new ChunkWriter(new byte[0]);
    chunk.add(line);
    byte[] bytes = chunk.end();
    chunks.put(new ChunkKey(of, 1, 7), bytes);
    LogChunk part = chunk.part(1, 7, null, bytes.length, world.now());
    write(MemberLog.begin(of).with(lines.position(), part, 0), part);
  }

  private void write(MemberLog log, @Nullable LogChunk part) {
    stores
        .transactions()
        .run(() -> stores.logs().write(List.of(new LogStore.Step(log, part, 0, 0))));
  }

  private String read(@Nullable Integer tail) throws IOException {
    JobOutput.Request request = new JobOutput.Request(null, null, 0, tail, null, false);
    try (InputStream lines = output.open(output.source(caller, attempt.job(), request))) {
      return new String(lines.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void storedOutputPrecedesOutputOfTheCluster() throws IOException {
    keepOne();
    assertThat(read(null)).isEqualTo("one\ntwo\n");
  }

  /** Fails when the cluster is queried for a mere count and its refusal is the response. */
  @Test
  void lastLinesAreReadDuringAClusterOutage() throws IOException {
    keepOne();
    cluster = null;
    assertThat(read(5)).satisfies(reason("job-output.one-fairlead-further-output"));
  }

  @Test
  void linesThatTheClusterNoLongerHasAreMarked() throws IOException {
    keepOne();
    cluster = TWO;
    assertThat(read(null))
        .satisfies(
            reason("job-output.one-fairlead-lines", "2030-01-01T00:00:01Z", "2030-01-01T00:00:02Z"))
        .endsWith("]\ntwo\n");
  }

  /** Fails when the removal of a log hides the output of a running attempt. */
  @Test
  void clusterOutputFollowsTheMarkOfADeletedLog() throws IOException {
    write(
        MemberLog.begin(of)
            .ended(world.now())
            .with()
            .stored(0)
            .removed(MemberLog.Removal.AGE)
            .build(),
        null);
    assertThat(read(null))
        .isEqualTo(
            "[fairlead: the output was removed: its retention has expired. The output that the"
                + " cluster still has follows]\none\ntwo\n");
  }

  private JobOutput.Source containerOf(Attempt member, String container) {
    JobOutput.Request request = new JobOutput.Request(null, null, container, 0, null, null, false);
    return output.source(caller, member.job(), request);
  }

  /** Fails when the stored output of the program is in the output of a sidecar. */
  @Test
  void sidecarOutputIsReadFromTheCluster() throws IOException {
    Attempt beside =
        world.run(world.place(world.submit(Specs.job("beside").sidecar("proxy")), 0, "node-1"));

    JobOutput.Source source = containerOf(beside, "proxy");

    assertThat(source.request().container()).isEqualTo("proxy");
    try (InputStream lines = output.open(source)) {
      assertThat(lines.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("one\ntwo\n");
    }
    assertThatThrownBy(() -> containerOf(beside, "fetch"))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("job-output.init-container-sidecar-fetch", "worker-0"));
  }

  /** Fails when the stored output of the program is the response for another container. */
  @Test
  void singleContainerMemberHasNoOtherOutput() throws IOException {
    keepOne();
    assertThatThrownBy(() -> containerOf(attempt, "proxy"))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("job-output.init-container-sidecar", "worker-0"));
  }

  /** Fails when each line is a separate read, after which the service flushes. */
  @Test
  void availableLinesAreReadTogether() throws IOException {
    keepOne();
    cluster = ONE + TWO + TWO.replace(":02", ":03");
    JobOutput.Request request = new JobOutput.Request(null, null, 0, null, null, false);
    try (InputStream lines = output.open(output.source(caller, attempt.job(), request))) {
      byte[] buffer = new byte[100];
      assertThat(lines.read(buffer)).as("one").isEqualTo(4);
      assertThat(lines.read(buffer)).as("two and three").isEqualTo(8);
    }
  }
}
