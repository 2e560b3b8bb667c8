package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogPosition;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;

/** The rows of the parts of a log. */
class LogPartsTest {
  private static final Instant LINE = Instant.parse("2030-01-01T00:00:01Z");

  /** Fails when the only part of a log, or the last part, has a separate row. */
  @Test
  void onlyPartsWithASuccessorHaveARow() {
    PostgresInstallation stores = Embedded.installation();
    TestWorld world = TestWorld.in(stores);
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.run(world.place(job));
    LogMember of =
        new LogMember(
            job.tenant(), job.project(), job.id(), attempt.id(), new MemberKey("worker", 0, 0));
    LogChunk first = new LogChunk(1, 7, LINE, LINE, 1, 30, 20, null);
    MemberLog log = MemberLog.begin(of).with(LogPosition.START.after(LINE), first, 0);
    write(stores, new LogStore.Step(log, first, 0, 20));
    assertThat(rows(stores, attempt)).isZero();

    LogChunk second = new LogChunk(2, 7, LINE, LINE, 1, 30, 20, null);
    write(stores, new LogStore.Step(log.with(log.position(), second, 0), second, 0, 20));

    assertThat(rows(stores, attempt)).isEqualTo(1);
  }

  /** Fails when the second of two writers with the same state hides or duplicates a part. */
  @Test
  void aWriterWithAnOlderStateOfTheLogIsRefused() {
    PostgresInstallation stores = Embedded.installation();
    TestWorld world = TestWorld.in(stores);
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.run(world.place(job));
    LogMember of =
        new LogMember(
            job.tenant(), job.project(), job.id(), attempt.id(), new MemberKey("worker", 0, 0));
    LogChunk first = new LogChunk(1, 7, LINE, LINE, 1, 30, 20, null);
    MemberLog read = MemberLog.begin(of).with(LogPosition.START.after(LINE), first, 0);
    write(stores, new LogStore.Step(read, first, 0, 20));
    LogChunk second = new LogChunk(2, 7, LINE, LINE, 1, 30, 20, null);
    write(stores, new LogStore.Step(read.with(read.position(), second, 20), second, 1, 0));
    LogChunk gap = LogChunk.gap(2, LINE, "the last output is missing");

    assertThatThrownBy(
            () -> write(stores, new LogStore.Step(read.missing(gap).ended(LINE), gap, 0, 0)))
        .isInstanceOf(DataIntegrityViolationException.class);
    assertThatThrownBy(() -> write(stores, new LogStore.Step(read.ended(LINE), null, 0, 0)))
        .isInstanceOf(DataIntegrityViolationException.class);
    assertThat(stores.transactions().forAllTenants(() -> stores.logs().parts(of)))
        .containsExactly(second);
  }

  private static void write(PostgresInstallation stores, LogStore.Step step) {
    boolean _ =
        stores
            .transactions()
            .call(() ->
                stores
                    .transactions()
                    .forAllTenants(() -> {
                      stores.logs().write(List.of(step));
                      return true;
                    }));
  }

  private static long rows(PostgresInstallation stores, Attempt attempt) {
    return stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("SELECT count(*) FROM log_chunk WHERE attempt = :attempt")
                .param("attempt", attempt.id().value())
                .query(Long.class)
                .single());
  }
}
