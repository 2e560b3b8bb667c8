package dev.fairlead.money.statement;

import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Usage and cost of a tenant in a month, in UTC.
 *
 * @param tenantName its name when the statement was created
 * @param preliminary whether an hour of the month may still change
 * @param signed null until it is
 * @param volumes storage of its volumes
 * @param tokens usage of model services by key. Their cost is a part of the lines
 * @param idle charges of the tenant for idle capacity, by a policy, empty without one
 */
@RecordBuilder
public record Statement(
    TenantId tenant,
    String tenantName,
    YearMonth month,
    boolean preliminary,
    @Nullable Signature signed,
    List<StatementLine> lines,
    List<VolumeLine> volumes,
    List<TokenLine> tokens,
    List<IdleLine> idle)
    implements StatementBuilder.With {
  /**
   * The caller that signed it, and the time.
   *
   * @param by name of the caller
   */
  public record Signature(String by, Instant at) {}

  public Statement {
    lines = List.copyOf(lines);
    volumes = List.copyOf(volumes);
    tokens = List.copyOf(tokens);
    idle = List.copyOf(idle);
  }

  public static Instant begin(YearMonth month) {
    return month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();
  }

  public static Instant end(YearMonth month) {
    return begin(month.plusMonths(1));
  }

  /** Returns the statement with a signature. */
  public Statement signed(Signature signature) {
    return withSigned(signature);
  }

  public StatementTotals totals() {
    return StatementTotals.of(lines, volumes, idle);
  }
}
