package dev.fairlead.money.statement;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.time.YearMonth;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Use by device, and signed statements. */
public interface StatementStore {
  /**
   * Returns the use of the tenant by device, in order of the keys.
   *
   * @param from start of the use that counts, before {@code to}
   * @param after last key of the page before, null for the first page
   */
  List<DeviceUse> devices(
      TenantId tenant, Instant from, Instant to, DeviceUse.@Nullable Key after, int limit);

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
