package dev.fairlead.money.usage.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.WaitStore;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.stereotype.Service;

/** Computes closed hours again from their intervals. */
@Service
public class UsageCommands {
  /** Maximum number of hours of one request. */
  public static final int MOST_HOURS = 24;

  /** Maximum number of differences that a response lists. All are counted. */
  public static final int MOST_NAMED = 100;

  private static final String REBUILD = "rebuildUsage";
  private static final Duration KEPT = Ages.DEFAULT.of(RetentionStore.Kind.USAGE);

  /**
   * Hours are refused this long before their intervals are removed, so that none is removed during
   * the work.
   */
  private static final Duration LEAVING = Duration.ofDays(1);

  private final UsageStore usage;
  private final UseLedger ledger;
  private final WaitStore waits;
  private static final long DAY_MILLIS = 24 * HourBook.HOUR_MILLIS;

  private final Transactions transactions;
  private final AuditLog audit;

  public UsageCommands(
      UsageStore usage,
      UseLedger ledger,
      WaitStore waits,
      Transactions transactions,
      AuditLog audit) {
    this.usage = usage;
    this.ledger = ledger;
    this.waits = waits;
    this.transactions = transactions;
    this.audit = audit;
  }

  /**
   * Result of a rebuild.
   *
   * @param hours closed hours that were compared
   * @param differences number of sums that differed from their intervals
   * @param named the first differences, at most {@link #MOST_NAMED}
   */
  public record Rebuilt(int hours, int differences, List<HourDifference> named) {
    public Rebuilt {
      named = List.copyOf(named);
    }
  }

  /**
   * Compares the stored closed hours with their intervals, and replaces hours that differ. Each
   * hour is written in a separate transaction, which is all that the loop {@code usage} waits for.
   * An interrupted request can be repeated. Sums of the days of these hours are compared with the
   * hours, and days that differ are added up again.
   *
   * @param from hours that begin at or after it, rounded down to an hour
   * @param to hours that begin before it. Open hours are skipped
   * @param verifyOnly writes nothing
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED for more than {@link #MOST_HOURS} hours, or hours
   *     whose intervals are removed, or will be within a day
   */
  public Rebuilt rebuild(Actor actor, Instant from, Instant to, boolean verifyOnly) {
    Permissions.require(actor, REBUILD);
    long begin = Math.floorDiv(from.toEpochMilli(), HourBook.HOUR_MILLIS) * HourBook.HOUR_MILLIS;
    bound(begin, to);
    if (!verifyOnly) {
      TreeMap<String, Object> detail = new TreeMap<>();
      detail.put("to", to.toString());
      transactions.run(() ->
          audit.append(
              new AuditRecord(
                  actor, REBUILD, Instant.ofEpochMilli(begin).toString(), true, detail)));
    }
    int hours = 0;
    int differences = 0;
    List<HourDifference> named = new ArrayList<>();
    for (long hour = begin; hour < to.toEpochMilli(); hour += HourBook.HOUR_MILLIS) {
      Optional<List<HourDifference>> closed = rebuilt(hour, verifyOnly);
      if (closed.isEmpty()) {
        break;
      }
      List<HourDifference> found = closed.get();
      hours++;
      differences += found.size();
      named.addAll(found.subList(0, Math.min(found.size(), MOST_NAMED - named.size())));
    }
    long end = begin + hours * HourBook.HOUR_MILLIS;
    for (long day = Math.floorDiv(begin, DAY_MILLIS) * DAY_MILLIS; day < end; day += DAY_MILLIS) {
      List<HourDifference> found = day(day, verifyOnly);
      differences += found.size();
      named.addAll(found.subList(0, Math.min(found.size(), MOST_NAMED - named.size())));
    }
    return new Rebuilt(hours, differences, named);
  }

  /**
   * Differences of the hour, empty for an open hour. The result of a closed hour does not change,
   * so only its stored sums are read again under the lock, and the loop does not wait for the
   * computation.
   */
  private Optional<List<HourDifference>> rebuilt(long hour, boolean verifyOnly) {
    if (hour >= ledger.open()) {
      return Optional.empty();
    }
    HourBook book = new HourBook(hour, hour + HourBook.HOUR_MILLIS);
    usage.gpus(hour, book.toMillis(), book::add);
    List<HourDifference> found = ledger.stored(hour).differences(due(book));
    return Optional.of(verifyOnly || found.isEmpty() ? found : rewritten(book));
  }

  private UseFacts due(HourBook book) {
    return book.sums().facts().and(waits.sums(book.hourMillis(), book.toMillis()));
  }

  /** Differences between the sums of a day and its hours. */
  private List<HourDifference> day(long day, boolean verifyOnly) {
    List<HourDifference> found = ledger.dayDifferences(day);
    if (!verifyOnly && !found.isEmpty()) {
      ledger.sumDay(day);
    }
    return found;
  }

  private List<HourDifference> rewritten(HourBook book) {
    return transactions.forAllTenants(() -> {
      long _ = usage.lock();
      UseFacts due = due(book);
      List<HourDifference> found = ledger.stored(book.hourMillis()).differences(due);
      if (!found.isEmpty()) {
        ledger.write(due);
      }
      return found;
    });
  }

  private void bound(long begin, Instant to) {
    if (to.toEpochMilli() - begin > MOST_HOURS * HourBook.HOUR_MILLIS) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "%s to %s is more than %d hours. Request at most %d hours at a time."
              .formatted(Instant.ofEpochMilli(begin), to, MOST_HOURS, MOST_HOURS));
    }
    Instant oldest = Instant.ofEpochMilli(ledger.now()).minus(KEPT).plus(LEAVING);
    if (Instant.ofEpochMilli(begin).isBefore(oldest)) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Intervals of use are retained for %d days, and hours are recomputed until a day before that. Begin at %s or later."
              .formatted(KEPT.toDays(), oldest));
    }
  }
}
