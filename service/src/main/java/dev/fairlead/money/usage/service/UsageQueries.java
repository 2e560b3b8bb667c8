package dev.fairlead.money.usage.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.UsageLabelStore;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.UsageQueryBuilder;
import dev.fairlead.money.usage.UsageRow;
import dev.fairlead.money.usage.WaitQuery;
import dev.fairlead.money.usage.WaitRow;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reports the use of the fleet and the waits of jobs, by projects that the caller may read. */
@Service
public class UsageQueries {
  /** Maximum number of rows of one report. */
  public static final int MOST = 10_000;

  /** Maximum time of one report: three years, and the rest of the periods at both ends. */
  public static final Duration LONGEST = Duration.ofDays(3 * 366 + 62);

  private final UseLedger ledger;
  private final UsageLabelStore labels;
  private final TenantStore tenants;
  private final Transactions transactions;

  public UsageQueries(
      UseLedger ledger, UsageLabelStore labels, TenantStore tenants, Transactions transactions) {
    this.ledger = ledger;
    this.labels = labels;
    this.tenants = tenants;
    this.transactions = transactions;
  }

  /**
   * Selection of a usage report.
   *
   * @param project name of one project, null for all
   * @param user null for all
   * @param labels keys of labels to group by
   */
  public record Parameters(
      @Nullable String project,
      @Nullable String user,
      UsageQuery.Period period,
      SortedSet<UsageQuery.Group> groups,
      SortedSet<String> labels,
      Instant from,
      Instant to) {}

  /**
   * Reports by period and groups.
   *
   * @throws Refusal NOT_FOUND for an unknown project, INVALID_PARAMETER for a report of more than
   *     {@link #MOST} rows or by a label that was never set, LIMIT_EXCEEDED for more time than
   *     {@link #LONGEST}
   */
  public List<UsageRow> report(Actor actor, Parameters wish) {
    bound(wish.from(), wish.to());
    List<UsageRow> rows =
        transactions.read(() -> {
          wish.labels().forEach(key -> named(actor, key));
          return UsageQueryBuilder.builder()
              .tenant(actor.tenant())
              .projects(projects(actor, wish.project()))
              .user(wish.user())
              .period(wish.period())
              .groups(wish.groups())
              .labels(wish.labels())
              .from(wish.from())
              .to(wish.to())
              .limit(MOST + 1)
              .build()
              .report(ledger);
        });
    return bounded(rows);
  }

  /**
   * Selection of a wait report.
   *
   * @param project name of one project, null for all
   */
  public record Waits(
      @Nullable String project,
      UsageQuery.Period period,
      SortedSet<WaitQuery.Group> groups,
      Instant from,
      Instant to) {}

  /**
   * Reports the waits of jobs, by period and groups.
   *
   * @throws Refusal as for {@link #report}
   */
  public List<WaitRow> waits(Actor actor, Waits wish) {
    bound(wish.from(), wish.to());
    return bounded(
        transactions.read(() ->
            new WaitQuery(
                    actor.tenant(),
                    projects(actor, wish.project()),
                    wish.period(),
                    wish.groups(),
                    wish.from(),
                    wish.to(),
                    MOST + 1)
                .report(ledger)));
  }

  private static void bound(Instant from, Instant to) {
    Duration asked = Duration.between(from, to);
    if (asked.compareTo(LONGEST) > 0) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "A report covers at most %d days, but from %s to %s are %d. Request a shorter period."
              .formatted(LONGEST.toDays(), from, to, asked.toDays()));
    }
  }

  private static <T> List<T> bounded(List<T> rows) {
    if (rows.size() > MOST) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER,
          "The report has more than "
              + MOST
              + " rows. Request fewer groups, longer periods, or a shorter time range.");
    }
    return rows;
  }

  private void named(Actor actor, String key) {
    if (!labels.everNamed(actor.tenant(), key)) {
      List<String> keys =
          labels.named(actor.tenant(), 1).stream().flatMap(each -> each.keys().stream()).toList();
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER,
          ("Usage is not grouped by label \"%s\": %s. An owner of the tenant sets usage labels"
                  + " with PUT /api/v1/usage/labels.")
              .formatted(
                  key,
                  keys.isEmpty()
                      ? "no usage labels are set"
                      : "the current usage labels are " + String.join(", ", keys)));
    }
  }

  private @Nullable List<ProjectId> projects(Actor actor, @Nullable String name) {
    List<ProjectId> visible = actor.projects();
    if (name == null) {
      return visible;
    }
    return List.of(
        tenants
            .projectNamed(actor.tenant(), name)
            .map(Project::id)
            .filter(id -> visible == null || visible.contains(id))
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.NOT_FOUND,
                    "There is no project \"" + name + "\". GET /api/v1/projects lists yours.")));
  }
}
