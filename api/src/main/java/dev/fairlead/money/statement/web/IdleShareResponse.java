package dev.fairlead.money.statement.web;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.statement.IdleLine;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementUsed;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Objects;

/**
 * A tenant's share of the cost of idle capacity. Amounts of corrections may be negative.
 *
 * @param own whether the capacity is in a pool of the tenant, which pays all of it
 * @param bucket state of the capacity
 * @param rule rule by which the cost was divided
 * @param unused time of the capacity that the tenant pays for
 * @param pricePerGpuHour price of one whole GPU for one hour
 * @param amount the tenant's share of the cost, in whole millionths of a unit
 * @param currency currency (ISO 4217)
 */
@RecordBuilder
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
    return IdleShareResponseBuilder.builder()
        .model(key.flavor().model())
        .capacity(key.flavor().capacity())
        .own(key.owner() != null)
        .bucket(key.bucket())
        .rule(key.rule())
        .unused(StatementUsed.of(share.milliMillis().longValueExact()))
        .pricePerGpuHour(StatementLines.amount(price))
        .amount(StatementLines.amount(share.micros()))
        .currency(price.currency())
        .build();
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
