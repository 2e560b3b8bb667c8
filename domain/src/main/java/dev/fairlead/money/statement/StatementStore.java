package dev.fairlead.money.statement;

import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.people.tenant.TenantId;
import java.time.YearMonth;
import java.util.Optional;
import java.util.function.Consumer;

/** Use by the spans of a month, and signed statements. */
public interface StatementStore {
  /**
   * What the tenant used in each span, by the names of project, queue and cluster: the uses of one
   * key one after another, by their spans. Rows are handed on as they are read.
   */
  void uses(TenantId tenant, PriceSpans spans, Consumer<StatementUse> each);

  /** The document as it was signed. */
  Optional<String> signed(TenantId tenant, YearMonth month);

  /**
   * Keeps a document for good: no role of the database changes or removes it.
   *
   * @return whether it was kept; false when the month is signed already, also by a transaction that
   *     this one waited for
   */
  boolean sign(TenantId tenant, YearMonth month, String document);
}
