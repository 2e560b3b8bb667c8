package dev.fairlead.work.placement.blockers;

import dev.fairlead.fleet.quota.LimitChange;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.estimate.OpeningTiers;
import dev.fairlead.work.placement.admission.Shortfall;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Describes a refusal of the quota tree. */
public final class QuotaBlockers {
  private QuotaBlockers() {}

  public static Blocker of(Shortfall shortfall) {
    if (shortfall.refusing().ofFleet()) {
      return fleet(Reason.QUOTA, shortfall, "leaves to its tenant now", null);
    }
    String resource = shortfall.cell().resource();
    String node = shortfall.limiting().name();
    long available = Math.max(0, shortfall.available());
    String text =
        (shortfall.nonPreemptible()
                ? "needs %s %s of %s, nominal quota of '%s' leaves %s to jobs that are not"
                    + " preemptible (%s used by such of %s)"
                : "needs %s %s of %s, quota of '%s' leaves %s (%s used of %s)")
            .formatted(
                Wording.amount(resource, shortfall.asked()),
                resource,
                shortfall.cell().flavor().text(),
                node,
                Wording.amount(resource, available),
                Wording.amount(resource, shortfall.used()),
                Wording.amount(resource, shortfall.quota()));
    return new Blocker(
        Reason.QUOTA,
        Blockers.queue(node),
        text + rise(shortfall),
        numbers(shortfall, available),
        action(shortfall));
  }

  /**
   * Explains a refusal that would remain on an idle fleet.
   *
   * @param queue name of the queue of the job
   */
  public static Blocker never(Shortfall shortfall, String queue) {
    if (shortfall.refusing().ofFleet()) {
      return fleet(
          Reason.NEVER_FITS,
          shortfall,
          "lets its tenant have",
          "request less, or ask a platform administrator to raise the tenant's limit");
    }
    String resource = shortfall.cell().resource();
    boolean own = shortfall.most() == shortfall.quota();
    String node = (own ? shortfall.limiting() : shortfall.refusing()).name();
    String text =
        "needs %s %s of %s, queue '%s' can have at most %s%s%s"
            .formatted(
                Wording.amount(resource, shortfall.asked()),
                resource,
                shortfall.cell().flavor().text(),
                queue,
                Wording.amount(resource, Math.max(0, shortfall.most())),
                shortfall.nonPreemptible() ? " for jobs that are not preemptible" : "",
                node.equals(queue) ? "" : ", by the quota of '" + node + "'");
    String unit = Wording.unit(resource);
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("needed" + unit, shortfall.asked());
    numbers.put("most" + unit, Math.max(0, shortfall.most()));
    return new Blocker(
        Reason.NEVER_FITS,
        Blockers.queue(node),
        text,
        numbers,
        shortfall.nonPreemptible()
            ? "request less, submit it with preemption.allowed true, or ask an administrator to"
                + " raise the nominal quota"
            : "request less, or ask an administrator to raise the quota");
  }

  /**
   * Omits numbers of the platform and whether the tenant's own or the shared limit is exhausted,
   * because this would reveal the use of other tenants.
   */
  private static Blocker fleet(
      Reason reason, Shortfall shortfall, String room, @Nullable String action) {
    String resource = shortfall.cell().resource();
    String text =
        "needs %s %s of %s, more than the platform %s%s"
            .formatted(
                Wording.amount(resource, shortfall.asked()),
                resource,
                shortfall.cell().flavor().text(),
                room,
                shortfall.nonPreemptible() ? ", for jobs that are not preemptible" : "");
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("needed" + Wording.unit(resource), shortfall.asked());
    return new Blocker(reason, Blockers.FLEET, text, numbers, action);
  }

  private static SortedMap<String, Long> numbers(Shortfall shortfall, long available) {
    String unit = Wording.unit(shortfall.cell().resource());
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("needed" + unit, shortfall.asked());
    numbers.put("available" + unit, available);
    numbers.put("used" + unit, shortfall.used());
    if (shortfall.quota() != Saturating.UNLIMITED) {
      numbers.put("quota" + unit, shortfall.quota());
    }
    numbers.put("most" + unit, Math.max(0, shortfall.most()));
    LimitChange rise = shortfall.rise();
    if (rise != null) {
      numbers.put(OpeningTiers.OPENS_AT, rise.at().getEpochSecond());
    }
    return numbers;
  }

  /** Describes when a window next raises the limit, and to which amount. */
  private static String rise(Shortfall shortfall) {
    LimitChange rise = shortfall.rise();
    if (rise == null) {
      return "";
    }
    String resource = shortfall.cell().resource();
    Long nominal = rise.limit().nominal();
    Long borrowing = rise.limit().borrowingLimit();
    Instant until = rise.until();
    return "; from %s%s its limit is %s%s"
        .formatted(
            Wording.time(rise.at(), rise.zone()),
            until == null ? "" : " for " + DurationText.of(Duration.between(rise.at(), until)),
            nominal == null ? "none" : Wording.amount(resource, nominal),
            shortfall.nonPreemptible() || borrowing == null || borrowing == 0
                ? ""
                : " and " + Wording.amount(resource, borrowing) + " borrowed");
  }

  /** Waiting helps only if the queue's maximum covers the request. */
  private static @Nullable String action(Shortfall shortfall) {
    String most = Wording.amount(shortfall.cell().resource(), Math.max(0, shortfall.most()));
    if (shortfall.asked() <= shortfall.most() || shortfall.rise() != null) {
      return null;
    }
    return shortfall.nonPreemptible()
        ? ("jobs that are not preemptible can have at most %s: request less, submit it with"
                + " preemption.allowed true, or ask an administrator to raise the nominal quota")
            .formatted(most)
        : "the queue can have at most %s: request less, or ask an administrator to raise its quota"
            .formatted(most);
  }
}
