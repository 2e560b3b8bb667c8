package dev.fairlead.money.statement.web;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.statement.StatementKey;
import dev.fairlead.money.statement.StatementLine;
import dev.fairlead.money.statement.StatementUse;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementCost;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementGpus;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementThing;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementUsed;
import dev.fairlead.people.tenant.ProjectId;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** Converts lines of the domain to lines of the API, and back. */
final class StatementLines {
  private StatementLines() {}

  /** Amount in units of the currency, always with six decimals. */
  static BigDecimal amount(BigInteger micros) {
    return new BigDecimal(micros, Money.MICRO_DIGITS);
  }

  static BigDecimal amount(Money money) {
    return amount(BigInteger.valueOf(money.micros()));
  }

  static BigInteger micros(BigDecimal amount) {
    return amount.movePointRight(Money.MICRO_DIGITS).toBigIntegerExact();
  }

  static StatementLineResponse response(StatementLine line) {
    StatementKey key = line.key();
    return StatementLineResponseBuilder.builder()
        .from(line.from())
        .to(line.to())
        .project(new StatementThing(key.project().text(), line.names().project()))
        .queue(new StatementThing(key.queue().text(), line.names().queue()))
        .cluster(new StatementThing(key.cluster().text(), line.names().cluster()))
        .gpus(new StatementGpus(key.pool(), key.flavor().model(), key.flavor().capacity()))
        .used(StatementUsed.of(line.milliMillis()))
        .cost(cost(line.charge()))
        .costCentre(line.names().costCentre())
        .build();
  }

  private static @Nullable StatementCost cost(StatementLine.@Nullable Charge charge) {
    return charge == null
        ? null
        : new StatementCost(
            charge.price().text(),
            amount(charge.perGpuHour()),
            amount(charge.micros()),
            charge.perGpuHour().currency());
  }

  static StatementLine line(StatementLineResponse line) {
    StatementGpus gpus = line.gpus();
    return new StatementLine(
        new StatementKey(
            new ProjectId(ApiPaths.id(IdKind.PROJECT, line.project().id())),
            new QuotaNodeId(ApiPaths.id(IdKind.QUEUE, line.queue().id())),
            new ClusterId(ApiPaths.id(IdKind.CLUSTER, line.cluster().id())),
            gpus.pool(),
            new Flavor(gpus.model(), gpus.capacity())),
        new StatementUse.Names(
            line.project().name(), line.queue().name(), line.cluster().name(), line.costCentre()),
        line.from(),
        line.to(),
        line.used().milliGpuMillis(),
        charge(line.cost()));
  }

  private static StatementLine.@Nullable Charge charge(@Nullable StatementCost cost) {
    return cost == null
        ? null
        : new StatementLine.Charge(
            new PriceId(ApiPaths.id(IdKind.PRICE, cost.price())),
            new Money(micros(cost.pricePerGpuHour()).longValueExact(), cost.currency()),
            micros(cost.amount()));
  }
}
