package dev.fairlead.kernel.handle;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Handles that callers have on a limited resource of a process. A caller has at most half of the
 * handles and a tenant at most five sixths, so that some remain for others, regardless of the
 * number of service accounts.
 */
public final class OpenHandles {
  private static final String ALL = "";
  private final int most;
  private final String what;
  private final Map<String, Integer> open = new HashMap<>();

  /**
   * @param most limit of all callers together, at least 2
   * @param what plural name of the resource, for messages
   */
  public OpenHandles(int most, String what) {
    this.most = most;
    this.what = what;
  }

  /** A handle that is held until it is closed. Repeated closes have no effect. */
  public final class Handle implements AutoCloseable {
    private final List<String> payers;
    private final AtomicBoolean held = new AtomicBoolean(true);

    private Handle(List<String> payers) {
      this.payers = payers;
    }

    @Override
    public void close() {
      if (held.compareAndSet(true, false)) {
        synchronized (open) {
          for (String payer : payers) {
            int left = open.getOrDefault(payer, 1) - 1;
            if (left == 0) {
              open.remove(payer);
            } else {
              open.put(payer, left);
            }
          }
        }
      }
    }
  }

  /** Like {@link #enter(String, String)}. */
  public Handle enter(Actor actor) {
    return enter(actor.tenant().text(), actor.name());
  }

  /**
   * Acquires a handle.
   *
   * @param caller name within its tenant
   * @throws Refusal RATE_LIMITED when the caller, its tenant or all callers are at their limit
   */
  public Handle enter(String tenant, String caller) {
    List<String> payers = List.of(ALL, tenant, tenant + "/" + caller);
    synchronized (open) {
      check(payers.get(2), most / 2, "This caller has");
      check(payers.get(1), most - Math.max(1, most / 6), "This tenant has");
      check(payers.get(0), most, "All callers together have");
      payers.forEach(payer -> open.merge(payer, 1, Integer::sum));
    }
    return new Handle(payers);
  }

  private void check(String payer, int bound, String whose) {
    if (open.getOrDefault(payer, 0) >= bound) {
      throw new Refusal(
          ProblemCode.RATE_LIMITED,
          "%s %d %s, the maximum. Retry when one has ended.".formatted(whose, bound, what));
    }
  }
}
