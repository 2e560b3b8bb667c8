package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.people.audit.chain.AuditChain;
import dev.fairlead.people.audit.chain.AuditChain.Waiting;
import dev.fairlead.people.audit.chain.ChainBreak;
import dev.fairlead.people.audit.chain.ChainCheck;
import dev.fairlead.people.audit.chain.ChainEnd;
import dev.fairlead.people.audit.chain.ChainHead;
import dev.fairlead.people.audit.chain.ChainKey;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPage;
import dev.fairlead.people.audit.chain.ChainPosition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Checks that the audit is sealed in time, and that its newest rows are unchanged. */
@Component
public class AuditDiagnosis implements Diagnosis {
  private static final Duration LATE = Duration.ofMinutes(2);

  /**
   * One more row is requested, so that the page has the end of the chain and its head is compared.
   */
  private static final long NEWEST = 1_000;

  private static final String BROKEN = "Follow docs/how-to/runbooks/FairleadAuditBroken.md.";
  private final AuditChain chain;
  private final ChainKeys keys;
  private final InstantSource clock;

  public AuditDiagnosis(AuditChain chain, ChainKeys keys, InstantSource clock) {
    this.chain = chain;
    this.keys = keys;
    this.clock = clock;
  }

  @Override
  public String area() {
    return "audit";
  }

  @Override
  public List<DoctorCheck> look() {
    ChainLink last = chain.last().orElse(null);
    Optional<ChainKey> key = keys.key();
    if (key.isEmpty()) {
      return List.of(
          DoctorCheck.warning(
              area(),
              "seal",
              "not sealed, because no key is configured",
              "Set FAIRLEAD_KEY_FILE to a file that all replicas share."));
    }
    long sequence = last == null ? 0 : last.sequence();
    ChainPosition sealed = last == null ? ChainPosition.START : last.position();
    ChainHead head = chain.newestHead().orElse(null);
    ChainEnd end = ChainEnd.of(key.get(), chain.horizon(), last, head, null, null);
    if (end != ChainEnd.SOUND) {
      return List.of(DoctorCheck.problem(area(), "seal", "not sealed: " + end.meaning(), BROKEN));
    }
    return List.of(late(chain.waiting(sealed)), newest(key.get(), Math.max(0, sequence - NEWEST)));
  }

  private DoctorCheck late(Waiting waiting) {
    Instant oldest = waiting.oldest();
    Duration age = oldest == null ? Duration.ZERO : Duration.between(oldest, clock.instant());
    String found =
        waiting.rows() + " rows wait to be sealed, the oldest for " + age.toSeconds() + " s";
    return age.compareTo(LATE) > 0
        ? DoctorCheck.problem(
            area(), "seal", found, "Follow docs/how-to/runbooks/FairleadAuditSealedLate.md.")
        : DoctorCheck.ok(area(), "seal", oldest == null ? "all rows are sealed" : found);
  }

  private DoctorCheck newest(ChainKey key, long after) {
    ChainPage page = chain.page(after, Math.toIntExact(NEWEST) + 1);
    Optional<ChainBreak> broken = ChainCheck.first(key, after, page);
    return broken
        .map(it ->
            DoctorCheck.problem(
                area(), "chain", "link " + it.sequence() + ": " + it.kind().meaning(), BROKEN))
        .orElseGet(() ->
            DoctorCheck.ok(
                area(), "chain", "the newest " + page.sealed(after) + " rows are as sealed"));
  }
}
