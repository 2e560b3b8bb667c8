package dev.fairlead.handle;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Streams or outputs that are open in this process. A caller has at most half of them and a tenant
 * at most five sixths, so that others find one free, however many service accounts a caller made.
 */
public final class OpenHandles {
  private final int most;
  private final String what;
  private final Map<String, Integer> open = new HashMap<>();

  /**
   * @param most of all callers together, at least 6
   * @param what they are, in the plural
   */
  public OpenHandles(int most, String what) {
    this.most = most;
    this.what = what;
  }

  /** One that is open until it is closed, any number of times. */
  public final class Handle implements AutoCloseable {
    private final String caller;
    private final String tenant;
    private final AtomicBoolean held = new AtomicBoolean(true);

    private Handle(String caller, String tenant) {
      this.caller = caller;
      this.tenant = tenant;
    }

    @Override
    public void close() {
      if (held.compareAndSet(true, false)) {
        synchronized (open) {
          for (String payer : new String[] {tenant, caller, ""}) {
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

  /**
   * @throws Refusal RATE_LIMITED when the caller, its tenant or all callers have their most open
   */
  public Handle enter(Actor actor) {
    String tenant = actor.tenant().text();
    String caller = tenant + "/" + actor.name();
    synchronized (open) {
      check(caller, most / 2, actor.name() + " has");
      check(tenant, most - most / 6, "This tenant has");
      check("", most, "All callers together have");
      for (String payer : new String[] {"", tenant, caller}) {
        open.merge(payer, 1, Integer::sum);
      }
    }
    return new Handle(caller, tenant);
  }

  private void check(String payer, int bound, String whose) {
    if (open.getOrDefault(payer, 0) >= bound) {
      throw new Refusal(
          ProblemCode.RATE_LIMITED,
          "%s %d %s open here, the most that are possible. Close one, or try again later."
              .formatted(whose, bound, what));
    }
  }
}
