package dev.fairlead.money.statement;

import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.people.tenant.TenantId;
import java.time.YearMonth;
import java.util.Optional;
import java.util.function.Consumer;

/** Use by the spans of a month, and signed statements. */
public interface StatementStore {
  /**
   * Usage of the tenant in each span, by the names of project, queue and cluster: rows of one key
   * together, in order of their spans. Streams the rows while they are read.
   */
  void uses(TenantId tenant, PriceSpans spans, Consumer<StatementUse> each);

  /** The signed document. */
  Optional<String> signed(TenantId tenant, YearMonth month);

  /**
   * Stores a document permanently: no role of the database changes or removes it.
   *
   * @return whether it was stored. False if the month is signed already, even by a transaction that
   *     this one waited for
   */
  boolean sign(TenantId tenant, YearMonth month, String document);
}
