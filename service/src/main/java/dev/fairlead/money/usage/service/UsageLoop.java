package dev.fairlead.money.usage.service;

import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.UsageStore.Watermark;
import dev.fairlead.money.usage.WaitStore;
import dev.fairlead.money.usage.ledger.UseLedger;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Records the states of GPUs and the wait causes of jobs once a minute, and computes the first open
 * hour up to now, or to its end. An hour is closed ten minutes after its end, once no transaction
 * from that hour is open. After a pause the missed hours follow, one in each pass. Then finished
 * days are summed, the newest first, so that long reports read few rows. Nothing is recorded while
 * the database's clock is refused, because records with a future time would remain.
 */
@Component
public class UsageLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(UsageLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofMinutes(1);
  private final UsageStore usage;
  private final UseLedger ledger;
  private final WaitStore waits;
  private final Transactions transactions;
  private final BelievedClock clock;
  private final Recurring reckoning;
  private boolean daysDue;

  public UsageLoop(
      Leases leases,
      UsageStore usage,
      UseLedger ledger,
      WaitStore waits,
      Transactions transactions,
      BelievedClock clock) {
    super("usage", "background", IDLE, leases);
    this.clock = clock;
    this.usage = usage;
    this.ledger = ledger;
    this.waits = waits;
    this.transactions = transactions;
    this.reckoning = Recurring.fromNowOn(leases.clock(), EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    if (reckoning.due()) {
      if (transactions.callFenced(lease, this::reckon)) {
        return true;
      }
      reckoning.done();
      daysDue = true;
    }
    if (daysDue) {
      daysDue = transactions.callFenced(lease, ledger::sumDay);
    }
    return daysDue;
  }

  /** Returns whether the next hour has begun. */
  private boolean reckon() {
    if (!clock.believed()) {
      return false;
    }
    Watermark watermark = usage.look();
    waits.look(watermark.nowMillis());
    long now = watermark.nowMillis();
    HourBook book = new HourBook(watermark.openMillis(), now);
    usage.gpus(book.hourMillis(), book.toMillis(), book::add);
    ledger.write(book.sums().facts().and(waits.sums(book.hourMillis(), book.toMillis())));
    tell(book);
    long end = watermark.openMillis() + HourBook.HOUR_MILLIS;
    if (now - end < HourBook.SETTLING_MILLIS) {
      return false;
    }
    usage.close(end);
    return true;
  }

  private static void tell(HourBook book) {
    if (book.overbooked() > 0) {
      LOG.error(
          "books of the hour from {} do not close: members held {} milli-GPU times ms beyond whole"
              + " GPUs. Compare usage_interval and allocation with the attempts of that hour.",
          Instant.ofEpochMilli(book.hourMillis()),
          book.overbooked());
    }
  }
}
