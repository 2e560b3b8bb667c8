package dev.fairlead.people.audit.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.people.audit.chain.ChainKey;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPosition;
import dev.fairlead.people.audit.chain.ChainRow;
import dev.fairlead.people.audit.memory.MemoryAuditChain;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SealLoopTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final MemoryAuditChain chain = new MemoryAuditChain();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private long nanos;
  private Optional<byte[]> secret = Optional.of(new byte[32]);
  private final ChainKeys keys = new ChainKeys(purpose -> secret);
  private final ChainWatch watch = new ChainWatch(chain, () -> NOW, metrics);
  private final AuditDiagnosis diagnosis = new AuditDiagnosis(chain, keys, () -> NOW);
  private final SealLoop loop = loop("me");

  private SealLoop loop(String holder) {
    LeaseTimes times =
        new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20));
    Leases leases = new Leases(stores.leases(), times, () -> nanos, holder);
    return new SealLoop(leases, chain, keys, watch, stores.transactions());
  }

  private void write(int rows, Instant at) {
    for (int i = 0; i < rows; i++) {
      int n = chain.rows.size() + 1;
      chain.rows.add(new ChainRow(new ChainPosition(1, n, n), at, "{\"n\": " + n + "}"));
    }
  }

  private long sealed() {
    return chain.last().map(ChainLink::sequence).orElse(0L);
  }

  private void pass(Duration time) {
    for (Duration left = time; left.isPositive(); left = left.minusSeconds(5)) {
      nanos += Duration.ofSeconds(5).toNanos();
      loop.tick();
    }
  }

  private double shown(String metric) {
    return metrics.get(metric).gauge().value();
  }

  /**
   * Fails when a pass is unbounded or writes a link for each row, or a full pass does not request
   * the next one.
   */
  @Test
  void turnSealsABoundedNumberAndTheNextContinues() {
    write(SealLoop.MOST + 5, NOW);

    assertThat(loop.tick()).isTrue();
    assertThat(sealed()).isEqualTo(SealLoop.MOST);
    assertThat(loop.tick()).isFalse();
    assertThat(sealed()).isEqualTo(SealLoop.MOST + 5);
    assertThat(chain.links).hasSize(2);
    assertThat(chain.heads).hasSize(2);
    assertThat(diagnosis.look())
        .extracting(DoctorCheck::verdict)
        .containsOnly(DoctorCheck.Verdict.OK);
  }

  /** Fails when a process that never saw the chain shows less than the database has, or more. */
  @Test
  void chainLengthIsReportedEvenAfterTruncation() {
    write(3, NOW);
    pass(Duration.ofSeconds(15));
    assertThat(shown("fairlead.audit.sealed")).isEqualTo(3);

    chain.links.clear();
    chain.heads.clear();
    pass(Duration.ofSeconds(15));
    assertThat(shown("fairlead.audit.sealed")).isZero();
  }

  /** Fails when a second replica seals at the same time as the holder of the lease. */
  @Test
  void processSealsNothingUntilItHoldsTheLease() {
    SealLoop other = loop("other");
    loop.tick();
    write(3, NOW);

    other.tick();
    assertThat(chain.links).isEmpty();

    loop.close();
    other.tick();
    assertThat(sealed()).isEqualTo(3);
  }

  /** Fails when a chain is created without a key, or the doctor does not report that. */
  @Test
  void nothingIsSealedWithoutAKeyAndTheDoctorReportsIt() {
    secret = Optional.empty();
    write(3, NOW);
    loop.tick();

    assertThat(chain.links).isEmpty();
    DoctorCheck check = diagnosis.look().getFirst();
    assertThat(check.verdict()).isEqualTo(DoctorCheck.Verdict.WARNING);
    assertThat(check.next()).contains("FAIRLEAD_KEY_FILE");
  }

  /**
   * Fails when rows are found by their time: a late row with an earlier time would be skipped
   * permanently.
   */
  @Test
  void rowOfASetBackClockIsSealedInItsOrder() {
    write(1, NOW);
    loop.tick();
    write(1, NOW.minus(Duration.ofDays(400)));
    write(1, NOW);
    loop.tick();

    assertThat(sealed()).isEqualTo(3);
    assertThat(diagnosis.look())
        .extracting(DoctorCheck::verdict)
        .containsOnly(DoctorCheck.Verdict.OK);
  }

  /** Fails when the doctor reads a page that does not contain the end of the chain. */
  @Test
  void doctorComparesTheHeadOfALongChainToo() {
    write(SealLoop.MOST + 5, NOW);
    pass(Duration.ofSeconds(10));
    chain.heads.removeLast();

    assertThat(diagnosis.look())
        .extracting(DoctorCheck::verdict)
        .contains(DoctorCheck.Verdict.PROBLEM);
  }

  /**
   * Fails when a break is found only on request, or is forgotten before the end of a whole round.
   */
  @Test
  void aBreakIsShownUntilAWholeRoundFindsNone() {
    write(2 * ChainWatch.MOST, NOW);
    pass(Duration.ofMinutes(2));
    assertThat(shown("fairlead.audit.broken")).isZero();
    assertThat(shown("fairlead.audit.unsealed.age")).isZero();

    ChainRow last = chain.rows.removeLast();
    pass(Duration.ofMinutes(1));
    assertThat(shown("fairlead.audit.broken")).isOne();
    assertThat(diagnosis.look())
        .filteredOn(check -> check.verdict() == DoctorCheck.Verdict.PROBLEM)
        .singleElement()
        .extracting(DoctorCheck::found)
        .asString()
        .contains("link " + 2 * ChainWatch.MOST);

    chain.rows.add(last);
    pass(Duration.ofMinutes(1));
    assertThat(shown("fairlead.audit.broken")).isZero();
  }

  /** Fails when rows that are not sealed raise no alarm. */
  @Test
  void unsealedRowsAreReportedWithTheirAge() {
    write(3, NOW.minus(Duration.ofMinutes(5)));
    assertThat(diagnosis.look().getFirst().verdict()).isEqualTo(DoctorCheck.Verdict.PROBLEM);
    watch.look(new ChainKey(new byte[32]));

    assertThat(shown("fairlead.audit.unsealed.age")).isEqualTo(300);
  }

  /** Fails when a replica with another key file signs, or continues from a foreign end. */
  @Test
  void chainEndSignedByAnotherKeyIsNotExtended() {
    chain.horizon = new ChainPosition(1, Long.MAX_VALUE, 0);
    write(3, NOW);
    loop.tick();
    loop.close();
    secret = Optional.of(new byte[] {1, 2, 3});
    SealLoop other = loop("other");
    write(1, NOW);
    other.tick();

    assertThat(sealed()).isEqualTo(3);
    assertThat(refused()).isEqualTo("other_key");
    assertThat(diagnosis.look().getFirst().found()).contains("another key file");
  }

  /** Fails when an end after which no row can follow stops sealing silently. */
  @Test
  void impossibleChainEndIsReported() {
    write(3, NOW);
    loop.tick();
    chain.horizon = chain.rows.getFirst().position();
    loop.tick();

    assertThat(refused()).isEqualTo("ahead");
  }

  /** Fails when a history that was forged after the chain was emptied is sealed from its start. */
  @Test
  void emptiedOrTruncatedChainIsNotContinuedUntilTheIncarnationIsRaised() {
    chain.horizon = new ChainPosition(1, Long.MAX_VALUE, 0);
    write(3, NOW);
    loop.tick();
    write(3, NOW);
    loop.tick();

    chain.links.removeLast();
    chain.heads.removeLast();
    loop.tick();
    assertThat(refused()).isEqualTo("cut_off");
    assertThat(sealed()).isEqualTo(3);

    chain.links.clear();
    chain.heads.clear();
    loop.tick();
    assertThat(refused()).isEqualTo("cut_off");
    assertThat(chain.links).isEmpty();

    chain.horizon = new ChainPosition(2, Long.MAX_VALUE, 0);
    loop.tick();
    assertThat(sealed()).isEqualTo(6);
    assertThat(metrics.find("fairlead.audit.seal.refused").gauge()).isNull();
  }

  /** Fails when heads of the truncated part remain the newest after the chain has continued. */
  @Test
  void raisedIncarnationContinuesPermanentlyPastStaleHeads() {
    chain.horizon = new ChainPosition(1, Long.MAX_VALUE, 0);
    write(3, NOW);
    loop.tick();
    write(3, NOW);
    loop.tick();
    chain.links.removeLast();
    chain.rows.subList(3, 6).clear();
    loop.tick();
    assertThat(refused()).isEqualTo("cut_off");

    chain.horizon = new ChainPosition(2, Long.MAX_VALUE, 0);
    write(1, NOW);
    loop.tick();
    write(1, NOW);
    loop.tick();

    assertThat(sealed()).isEqualTo(5);
    assertThat(metrics.find("fairlead.audit.seal.refused").gauge()).isNull();
  }

  /** Fails when a verification restarts at a break: later rows would never be verified. */
  @Test
  void verificationContinuesPastABreakAndCountsEach() {
    write(2 * ChainWatch.MOST, NOW);
    pass(Duration.ofMinutes(2));
    chain.rows.remove(2 * ChainWatch.MOST - 5);
    chain.rows.remove(5);
    pass(Duration.ofMinutes(1));

    assertThat(shown("fairlead.audit.broken")).isEqualTo(2);
  }

  private String refused() {
    return metrics.get("fairlead.audit.seal.refused").gauge().getId().getTag("why");
  }
}
