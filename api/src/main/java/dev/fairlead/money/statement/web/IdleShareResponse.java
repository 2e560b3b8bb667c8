package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.statement.IdleLine;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementUsed;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.people.tenant.TenantId;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Objects;

/**
 * What a tenant pays of capacity that no job used. Amounts of corrections may be below zero.
 *
 * @param own whether it is of a pool of the tenant itself, which pays all of it
 * @param bucket what the capacity was instead
 * @param rule by which it was divided
 * @param unused time of it that comes to the tenant
 * @param pricePerGpuHour of one whole GPU
 * @param amount the tenant's part of what all of it costs, in whole millionths of a unit
 * @param currency ISO 4217
 */
record IdleShareResponse(
    String model,
    CapacityType capacity,
    boolean own,
    UsageBucket bucket,
    IdleRule rule,
    StatementUsed unused,
    BigDecimal pricePerGpuHour,
    BigDecimal amount,
    String currency) {
  static IdleShareResponse of(IdleLine share) {
    IdleLine.Key key = share.key();
    Money price = Objects.requireNonNull(key.perGpuHour(), "a share has a price");
    return new IdleShareResponse(
        key.flavor().model(),
        key.flavor().capacity(),
        key.owner() != null,
        key.bucket(),
        key.rule(),
        StatementUsed.of(share.milliMillis().longValueExact()),
        StatementLines.amount(price),
        StatementLines.amount(share.micros()),
        price.currency());
  }

  IdleLine line(TenantId tenant) {
    return new IdleLine(
        new IdleLine.Key(
            own ? tenant : null,
            new Flavor(model, capacity),
            bucket,
            rule,
            new Money(StatementLines.micros(pricePerGpuHour).longValueExact(), currency)),
        BigInteger.valueOf(unused.milliGpuMillis()),
        StatementLines.micros(amount));
  }
}
