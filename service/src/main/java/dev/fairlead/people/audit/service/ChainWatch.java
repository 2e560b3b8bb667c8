package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.people.audit.chain.AuditChain;
import dev.fairlead.people.audit.chain.AuditChain.Waiting;
import dev.fairlead.people.audit.chain.ChainBreak;
import dev.fairlead.people.audit.chain.ChainCheck;
import dev.fairlead.people.audit.chain.ChainEnd;
import dev.fairlead.people.audit.chain.ChainKey;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPage;
import dev.fairlead.people.audit.chain.ChainPosition;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Raises audit alarms: verifies the chain part by part in rounds, and checks the delay of unsealed
 * rows. Each break is counted, and the verification continues after it. A metric shows the breaks
 * until a whole round finds none. Only the replica with the lease reports the metric.
 */
@Component
public class ChainWatch {
  static final Duration EVERY = Duration.ofSeconds(10);
  static final int MOST = 5_000;

  private static final Logger LOG = LoggerFactory.getLogger(ChainWatch.class);
  private final AuditChain chain;
  private final InstantSource clock;
  private final GaugeRows age;
  private final GaugeRows broken;
  private final GaugeRows refused;
  private final GaugeRows sealed;
  private long after;
  private int found;
  private int before;
  private ChainEnd end = ChainEnd.SOUND;

  public ChainWatch(AuditChain chain, InstantSource clock, MeterRegistry metrics) {
    this.chain = chain;
    this.clock = clock;
    this.age = new GaugeRows(metrics, Metric.AUDIT_UNSEALED_AGE);
    this.broken = new GaugeRows(metrics, Metric.AUDIT_BROKEN);
    this.refused = new GaugeRows(metrics, Metric.AUDIT_SEAL_REFUSED);
    this.sealed = new GaugeRows(metrics, Metric.AUDIT_SEALED);
  }

  /** Verifies the next part. Must be called every {@link #EVERY}. */
  void look(ChainKey key) {
    ChainPage page = chain.page(after, MOST);
    List<ChainBreak> breaks = ChainCheck.all(key, after, page);
    if (found + before == 0 && !breaks.isEmpty()) {
      tell(breaks.getFirst());
    }
    found += breaks.size();
    double shown = Math.max(found, before);
    ChainLink last = page.last();
    if (page.end() || last == null) {
      before = found;
      found = 0;
      after = 0;
    } else {
      after = last.sequence();
    }
    Optional<ChainLink> newest = chain.last();
    double seconds = seconds(newest.map(ChainLink::position).orElse(ChainPosition.START));
    double links = newest.map(ChainLink::sequence).orElse(0L);
    age.show(Map.of(List.of(), () -> seconds));
    broken.show(Map.of(List.of(), () -> shown));
    sealed.show(Map.of(List.of(), () -> links));
  }

  private double seconds(ChainPosition sealed) {
    Waiting waiting = chain.waiting(sealed);
    Instant oldest = waiting.oldest();
    return oldest == null ? 0 : Math.max(0, Duration.between(oldest, clock.instant()).toSeconds());
  }

  private static void tell(ChainBreak it) {
    LOG.error(
        "audit log differs from its seals: kind={} sequence={} row={} at={}. Run fairlead audit verify",
        it.kind(),
        it.sequence(),
        it.row(),
        it.at());
  }

  /** Publishes why nothing is sealed, unless the end is valid. */
  void refused(ChainEnd now) {
    if (now != end && now != ChainEnd.SOUND) {
      LOG.error(
          "the audit is not sealed: {}. See docs/how-to/runbooks/FairleadAuditBroken.md",
          now.meaning());
    }
    end = now;
    refused.show(
        now == ChainEnd.SOUND
            ? Map.of()
            : Map.of(List.of(now.name().toLowerCase(Locale.ROOT)), () -> 1.0));
  }

  /** Another replica verifies. */
  void forget() {
    age.show(Map.of());
    broken.show(Map.of());
    sealed.show(Map.of());
    refused(ChainEnd.SOUND);
    after = 0;
    found = 0;
    before = 0;
  }
}
