package dev.fairlead.money.usage;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Projected wait of a tenant that only used reserved capacity: usage of other capacity joins a
 * queue of GPU time in its hour, and the free time of reserved GPUs of each hour serves the queue.
 * The mean wait is the waiting work multiplied by its wait, divided by all arrivals (Little's law:
 * J. Little, "A Proof for the Queuing Formula L = λW", Operations Research 9, 1961).
 *
 * <p>It is a lower bound: a job need not fit into the free time of an hour, other tenants would
 * have used that time as well, and waits within one hour count as none.
 */
public final class ReservedOnly {
  private static final BigInteger HOUR = BigInteger.valueOf(HourBook.HOUR_MILLIS);

  /**
   * The wait for reserved capacity of one model. Amounts are thousandths of a GPU times
   * milliseconds.
   *
   * @param spilled all usage that would have joined the queue, served or not
   * @param unserved use that would still wait at the end
   * @param meanWaitMillis mean wait of the queued usage, counted until the end for unserved usage
   */
  public record Wait(String model, long spilled, long unserved, long meanWaitMillis) {}

  private final long endHour;
  private final List<Wait> waits = new ArrayList<>();
  private @Nullable Queue queue;

  /**
   * @param endMillis start of the first excluded hour, in milliseconds since 1970
   */
  public ReservedOnly(long endMillis) {
    this.endHour = endMillis / HourBook.HOUR_MILLIS;
  }

  private static final class Queue {
    private final String model;
    private long spilled;
    private long waiting;
    private long lastHour;

    /** Amounts multiplied by hours of waiting. A year of 100,000 GPUs exceeds a long. */
    private BigInteger waited = BigInteger.ZERO;

    private Queue(String model, long hour) {
      this.model = model;
      this.lastHour = hour;
    }

    private void until(long hour) {
      waited =
          waited.add(BigInteger.valueOf(waiting).multiply(BigInteger.valueOf(hour - lastHour)));
      lastHour = hour;
    }

    private void add(SpillHour each) {
      until(each.hourMillis() / HourBook.HOUR_MILLIS);
      spilled = Math.addExact(spilled, each.spilled());
      long wanted = Math.addExact(waiting, each.spilled());
      waiting = wanted - Math.min(wanted, each.free());
    }

    private Wait ended(long end) {
      until(end);
      long mean =
          spilled == 0
              ? 0
              : new BigDecimal(waited.multiply(HOUR))
                  .divide(BigDecimal.valueOf(spilled), 0, RoundingMode.HALF_EVEN)
                  .longValueExact();
      return new Wait(model, spilled, waiting, mean);
    }
  }

  /**
   * @param each behind the earlier hours of its model, and those together
   */
  public void add(SpillHour each) {
    Queue open = queue;
    if (open == null || !open.model.equals(each.model())) {
      end();
      open = new Queue(each.model(), each.hourMillis() / HourBook.HOUR_MILLIS);
      queue = open;
    }
    open.add(each);
  }

  private void end() {
    Queue last = queue;
    if (last != null && last.spilled > 0) {
      waits.add(last.ended(endHour));
    }
    queue = null;
  }

  /** Lists the waits by model, without models that have no spill. */
  public List<Wait> waits() {
    end();
    return List.copyOf(waits);
  }
}
