package dev.fairlead.work.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class LogStoreContract {
  private static final Instant LINE = Instant.parse("2030-01-01T00:00:01.123456789Z");
  private static final int MANY = 1_000;
  private Stores stores;
  private TestWorld world;
  private Attempt attempt;
  private LogMember of;

  protected abstract Stores stores();

  @BeforeEach
  void aMember() {
    stores = stores();
    world = TestWorld.in(stores);
    attempt = world.run(world.place(world.submit(Specs.job("train").gpus(1)), 0, "node-1"));
    of = member(0);
  }

  private LogMember member(int index) {
    Job job = world.jobOf(attempt);
    return new LogMember(
        job.tenant(), job.project(), job.id(), attempt.id(), new MemberKey("worker", index, 0));
  }

  private <T> T loop(Supplier<T> work) {
    return stores.transactions().call(() -> stores.transactions().forAllTenants(work));
  }

  private MemberLog write(MemberLog log, @Nullable LogChunk chunk, int replaced, long more) {
    loop(() -> {
      stores.logs().write(List.of(new LogStore.Step(log, chunk, replaced, more)));
      return true;
    });
    return log;
  }

  private MemberLog chunk(LogMember member, long stored) {
    LogPosition position = LogPosition.START.after(LINE);
    LogChunk chunk = new LogChunk(1, -7, millis(LINE), millis(LINE), 1, 30, stored, null);
    return write(MemberLog.begin(member).with(position, chunk, 0), chunk, 0, stored);
  }

  /** As exact as a database has it. */
  private static Instant millis(Instant time) {
    return Instant.ofEpochMilli(time.toEpochMilli());
  }

  /** Fails when the nonces grow without a bound, or the newest is not the first. */
  @Test
  void onlyTheNewestNoncesAreRetained() {
    List<String> added = new ArrayList<>();
    for (int number = 0; number < LogStore.MOST_NONCES + 2; number++) {
      String nonce = "nonce" + number;
      added.addFirst(nonce);
      loop(() -> {
        stores.logs().addNonce(nonce);
        return true;
      });
    }
    assertThat(loop(() -> stores.logs().nonces()))
        .containsExactlyElementsOf(added.subList(0, LogStore.MOST_NONCES));
  }

  private LogStore.Whole whole() {
    return whole(of.tenant());
  }

  private LogStore.Whole whole(TenantId tenant) {
    return stores
        .transactions()
        .read(() -> stores.logs().whole(tenant, of.attempt(), of.member()))
        .orElseThrow();
  }

  /** Fails when a position loses nanoseconds: its line would be collected twice. */
  @Test
  void storedLogIsReadBack() {
    MemberLog log = chunk(of, 20);

    assertThat(whole().log()).isEqualTo(log);
    assertThat(whole().parts())
        .containsExactly(new LogChunk(1, -7, millis(LINE), millis(LINE), 1, 30, 20, null));
    assertThat(loop(() -> stores.logs().of(List.of(attempt.id())))).containsExactly(log);
  }

  @Test
  void chunkThatMergesItsPredecessorReplacesIt() {
    MemberLog log = chunk(of, 20);
    LogChunk next = new LogChunk(2, 9, millis(LINE), millis(LINE), 2, 30, 25, null);

    write(log.with(log.position().after(LINE), next, 20), next, 1, 5);

    assertThat(whole().parts()).containsExactly(next);
    assertThat(whole().log().stored()).isEqualTo(25);
    assertThat(loop(() -> stores.logs().stored(List.of(of.project()))))
        .isEqualTo(Map.of(of.project(), 25L));
  }

  /** Fails when a part that another part follows is lost, or remains next to its replacement. */
  @Test
  void logContainsAllPartsNotReplaced() {
    MemberLog one = chunk(of, 20);
    LogChunk second = part(2, 40_000);
    MemberLog two = write(one.with(one.position(), second, 0), second, 0, 40_000);
    LogChunk gap = LogChunk.gap(3, millis(LINE), "lines are missing");
    LogChunk fourth = part(4, 10);
    MemberLog three = two.missing(gap);
    MemberLog four = three.with(three.position(), fourth, 0);
    loop(() -> {
      stores
          .logs()
          .write(
              List.of(
                  new LogStore.Step(three, gap, 0, 0),
                  new LogStore.Step(four, fourth, 0, 10),
                  new LogStore.Step(four.at(four.position()), null, 0, 0)));
      return true;
    });
    assertThat(whole().parts()).containsExactly(part(1, 20), second, gap, fourth);

    LogChunk fifth = part(5, 15);
    MemberLog five = write(four.with(four.position(), fifth, 10), fifth, 4, 5);

    assertThat(whole().parts()).containsExactly(part(1, 20), second, gap, fifth);
    assertThat(whole().log()).isEqualTo(five);
    assertThat(loop(() -> stores.logs().parts(of))).isEqualTo(whole().parts());
    List<ChunkKey> keys =
        Stream.of(part(1, 20), second, fourth, fifth).map(p -> p.key(of)).toList();
    assertThat(loop(() -> stores.logs().unknown(keys))).containsExactly(fourth.key(of));
  }

  /** Fails when a write with two parts that replace each other stores both. */
  @Test
  void aPartMayReplaceAPartOfTheSameWrite() {
    LogChunk first = part(1, 20);
    LogChunk second = part(2, 25);
    MemberLog one = MemberLog.begin(of).with(LogPosition.START.after(LINE), first, 0);
    MemberLog two = one.with(one.position(), second, 20);
    loop(() -> {
      stores
          .logs()
          .write(
              List.of(new LogStore.Step(one, first, 0, 20), new LogStore.Step(two, second, 1, 5)));
      return true;
    });

    assertThat(whole().parts()).containsExactly(second);
  }

  private static LogChunk part(int sequence, long stored) {
    return new LogChunk(sequence, -7, millis(LINE), millis(LINE), 1, 30, stored, null);
  }

  @Test
  void logIsHiddenFromOtherTenants() {
    chunk(of, 20);
    TenantId other = new TenantId(stores.ids().next());

    assertThat(
            stores.transactions().read(() -> stores.logs().whole(other, of.attempt(), of.member())))
        .isEmpty();
  }

  @Test
  void projectOverItsLogQuotaLosesTheEarliestEndedLogsFirst() {
    Instant now = millis(loop(() -> stores.jobs().now()));
    MemberLog first = write(chunk(member(0), 60).ended(now.minusSeconds(20)), null, 0, 0);
    MemberLog second = write(chunk(member(1), 60).ended(now.minusSeconds(10)), null, 0, 0);
    MemberLog runs = chunk(member(2), 60);

    assertThat(over(200)).isEmpty();
    assertThat(over(150)).containsExactly(first);
    assertThat(over(1)).containsExactly(first, second).doesNotContain(runs);

    remove(first);
    assertThat(over(120)).isEmpty();
    assertThat(over(119)).containsExactly(second);
  }

  private List<MemberLog> over(long bytes) {
    return loop(() -> stores.logs().over(bytes, MANY)).stream()
        .filter(log -> log.of().project().equals(of.project()))
        .toList();
  }

  private void remove(MemberLog log) {
    loop(() -> {
      stores.logs().removed(List.of(log.of()), MemberLog.Removal.AGE);
      return true;
    });
  }

  @Test
  void expiredLogIsFoundUntilItsRemovalAndThenForgotten() {
    Instant now = millis(loop(() -> stores.jobs().now()));
    MemberLog old = write(chunk(of, 20).ended(now.minus(Duration.ofDays(20))), null, 0, 0);

    assertThat(old(15)).containsExactly(old);
    assertThat(old(21)).isEmpty();
    remove(old);

    assertThat(old(15)).isEmpty();
    assertThat(whole().parts()).isEmpty();
    assertThat(whole().log().removed()).isEqualTo(MemberLog.Removal.AGE);
    assertThat(whole().log().stored()).isZero();

    assertThat(loop(() -> stores.logs().forget(Duration.ofDays(15), MANY))).isPositive();
    assertThat(loop(() -> stores.logs().of(List.of(attempt.id())))).isEmpty();
  }

  /**
   * Fails when a late write restarts the retention of a deleted job's log: it would remain for
   * weeks.
   */
  @Test
  void logOfADeletedJobStaysExpiredWhenMoreIsWritten() {
    write(chunk(of, 20).ended(Instant.EPOCH), null, 0, 0);
    Instant now = millis(loop(() -> stores.jobs().now()));

    write(whole().log().ended(now), null, 0, 0);

    assertThat(whole().log().endedAt()).isEqualTo(Instant.EPOCH);
  }

  /**
   * Fails when retention counts from the last output: a row written after the deletion would
   * remain.
   */
  @Test
  void logOfADeletedJobExpiresWhenItEnds() {
    of =
        new LogMember(
            of.tenant(), of.project(), new JobId(stores.ids().next()), of.attempt(), of.member());
    MemberLog log = chunk(of, 20);
    assertThat(whole().log().endedAt()).isNull();

    write(log.ended(millis(loop(() -> stores.jobs().now()))), null, 0, 0);

    assertThat(old(15)).hasSize(1);
  }

  private List<MemberLog> old(int days) {
    return loop(() -> stores.logs().endedBefore(Duration.ofDays(days), MANY)).stream()
        .filter(log -> log.of().equals(of))
        .toList();
  }

  @Test
  void aLogOfALivingAttemptIsNotAbandoned() {
    chunk(of, 20);

    assertThat(loop(() -> stores.logs().abandoned(MANY))).noneMatch(log -> log.of().equals(of));
  }

  @Test
  void aStoreWithAPartIsNotEmpty() {
    chunk(of, 20);
    assertThat(loop(() -> stores.logs().empty())).isFalse();
  }

  /** Fails when a chunk of another write with the same number counts as this one. */
  @Test
  void chunkIsIdentifiedByItsNonce() {
    chunk(of, 20);
    ChunkKey known = new ChunkKey(of, 1, -7);
    ChunkKey left = new ChunkKey(of, 1, 8);

    assertThat(loop(() -> stores.logs().unknown(List.of(known, left)))).containsExactly(left);
  }
}
