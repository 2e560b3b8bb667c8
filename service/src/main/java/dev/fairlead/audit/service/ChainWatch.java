package dev.fairlead.audit.service;

import dev.fairlead.audit.AuditChain;
import dev.fairlead.audit.AuditChain.Waiting;
import dev.fairlead.audit.ChainBreak;
import dev.fairlead.audit.ChainCheck;
import dev.fairlead.audit.ChainKey;
import dev.fairlead.audit.ChainLink;
import dev.fairlead.audit.ChainPage;
import dev.fairlead.audit.ChainPosition;
import dev.fairlead.meter.GaugeRows;
import dev.fairlead.metric.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The alarm of the audit: looks at one part of the chain after the other, round and round, and at
 * what waits to be sealed. A break is shown by a metric until a whole round finds none. Known to
 * the replica that has the lease.
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
  private long after;
  private boolean found;

  public ChainWatch(AuditChain chain, InstantSource clock, MeterRegistry metrics) {
    this.chain = chain;
    this.clock = clock;
    this.age = new GaugeRows(metrics, Metric.AUDIT_UNSEALED_AGE);
    this.broken = new GaugeRows(metrics, Metric.AUDIT_BROKEN);
  }

  /** Looks at the next part; to be called {@link #EVERY}. */
  void look(ChainKey key) {
    ChainPage page = chain.page(after, MOST);
    Optional<ChainBreak> fault = ChainCheck.first(key, after, page);
    tell(fault);
    ChainLink last = page.last();
    if (fault.isPresent() || page.end()) {
      found = fault.isPresent();
      after = 0;
    } else if (last != null) {
      after = last.sequence();
    }
    double seconds = seconds(chain.last().map(ChainLink::position).orElse(ChainPosition.START));
    age.show(Map.of(List.of(), () -> seconds));
    double state = found ? 1 : 0;
    broken.show(Map.of(List.of(), () -> state));
  }

  private double seconds(ChainPosition sealed) {
    Waiting waiting = chain.waiting(sealed);
    Instant oldest = waiting.oldest();
    return oldest == null ? 0 : Math.max(0, Duration.between(oldest, clock.instant()).toSeconds());
  }

  private void tell(Optional<ChainBreak> fault) {
    if (fault.isPresent() && !found) {
      ChainBreak it = fault.get();
      LOG.error(
          "the audit is not what was sealed: kind={} sequence={} row={} at={}; see fairlead audit"
              + " verify",
          it.kind(),
          it.sequence(),
          it.row(),
          it.at());
    }
  }

  /** Another replica looks. */
  void forget() {
    age.show(Map.of());
    broken.show(Map.of());
    after = 0;
    found = false;
  }
}
