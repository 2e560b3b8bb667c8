package dev.fairlead.kernel.retention.service;

import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.IndependentSteps;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.retention.RetentionStore;
import java.time.Duration;
import org.springframework.stereotype.Component;

/**
 * Creates partitions for the coming days and removes old rows once an hour, a bounded number in
 * each pass. Adds up single entries every half minute.
 */
@Component
public class RetentionLoop extends LeasedLoop {
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofHours(1);
  private static final Duration FOLDING = Duration.ofSeconds(30);
  private final RetentionStore rows;
  private final RetentionPass clearing;
  private final RetentionLag lateness;
  private final BelievedClock clock;
  private final Recurring clear;
  private final Recurring fold;
  private final Recurring look;

  public RetentionLoop(
      Leases leases,
      RetentionStore rows,
      RetentionPass clearing,
      RetentionLag lateness,
      BelievedClock clock) {
    super("retention", "background", IDLE, leases);
    this.rows = rows;
    this.clearing = clearing;
    this.lateness = lateness;
    this.clock = clock;
    this.clear = Recurring.after(leases.clock(), EVERY);
    this.fold = Recurring.after(leases.clock(), FOLDING);
    this.look = Recurring.after(leases.clock(), RetentionLag.EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    IndependentSteps steps = new IndependentSteps();
    if (fold.due() && clock.believed()) {
      steps.run(rows::fold);
      fold.done();
    }
    if (look.due()) {
      steps.run(lateness::look);
      look.done();
    }
    boolean more = clear.due() && clear(steps);
    steps.rethrow();
    return more;
  }

  /**
   * Removes nothing while the database's clock is refused, because a removal cannot be undone.
   *
   * @return whether there is more. The hour is finished only when all kinds were cleared without a
   *     failure
   */
  private boolean clear(IndependentSteps steps) {
    steps.run(rows::prepare);
    if (!clock.believed()) {
      return false;
    }
    boolean more = clearing.turn(steps);
    if (!more && !steps.failed()) {
      clear.done();
    }
    return more;
  }

  @Override
  protected void forget() {
    lateness.forget();
  }
}
