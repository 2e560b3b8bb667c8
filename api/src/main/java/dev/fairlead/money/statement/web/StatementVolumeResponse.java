package dev.fairlead.money.statement.web;

import dev.fairlead.data.volume.VolumeId;
import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.statement.VolumeLine;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementThing;
import dev.fairlead.people.tenant.ProjectId;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A volume for as long as it had its claim and one price counted for it. Amounts of corrections may
 * be below zero.
 *
 * @param from when its claim was there, or the begin of the first hour of the price, in UTC
 * @param to when its claim was lost or forgotten, or the end of the last hour of the price, or now
 * @param storageClass that was asked for; null for the default of the cluster
 * @param sizeGib that was asked for, whatever is in it
 * @param cost null where no price applied
 * @param costCentre of the project when the statement was made; null for none
 */
record StatementVolumeResponse(
    Instant from,
    Instant to,
    StatementThing volume,
    StatementThing project,
    StatementThing cluster,
    @Nullable String storageClass,
    long sizeGib,
    StatementHeld held,
    @Nullable StatementStorageCost cost,
    @Nullable String costCentre) {
  /**
   * How much was held.
   *
   * @param gibHours rounded to a millionth
   * @param gibMillis exact: GiB times milliseconds
   */
  record StatementHeld(BigDecimal gibHours, BigInteger gibMillis) {
    static StatementHeld of(BigInteger gibMillis) {
      return new StatementHeld(VolumeStay.gibHours(gibMillis), gibMillis);
    }
  }

  /**
   * What it costs.
   *
   * @param price id in the price book
   * @param pricePerGibMonth of one GiB for the whole month of the statement
   * @param amount exact time and size by the price, rounded half to even to a millionth of a unit
   * @param currency ISO 4217
   */
  record StatementStorageCost(
      String price, BigDecimal pricePerGibMonth, BigDecimal amount, String currency) {
    static @Nullable StatementStorageCost of(VolumeLine.@Nullable Charge charge) {
      return charge == null
          ? null
          : new StatementStorageCost(
              charge.price().text(),
              StatementLines.amount(charge.perGibMonth()),
              StatementLines.amount(charge.micros()),
              charge.perGibMonth().currency());
    }

    VolumeLine.Charge charge() {
      return new VolumeLine.Charge(
          new PriceId(ApiPaths.id(IdKind.PRICE, price)),
          new Money(StatementLines.micros(pricePerGibMonth).longValueExact(), currency),
          StatementLines.micros(amount));
    }
  }

  static StatementVolumeResponse of(VolumeLine line) {
    VolumeLine.Key key = line.key();
    VolumeLine.Names names = line.names();
    return new StatementVolumeResponse(
        line.from(),
        line.to(),
        new StatementThing(key.volume().text(), names.volume()),
        new StatementThing(key.project().text(), names.project()),
        new StatementThing(key.cluster().text(), names.cluster()),
        key.storageClass(),
        key.sizeGib(),
        StatementHeld.of(line.gibMillis()),
        StatementStorageCost.of(line.charge()),
        names.costCentre());
  }

  VolumeLine line() {
    return new VolumeLine(
        new VolumeLine.Key(
            new VolumeId(ApiPaths.id(IdKind.VOLUME, volume.id())),
            new ProjectId(ApiPaths.id(IdKind.PROJECT, project.id())),
            new ClusterId(ApiPaths.id(IdKind.CLUSTER, cluster.id())),
            storageClass,
            sizeGib),
        new VolumeLine.Names(volume.name(), project.name(), cluster.name(), costCentre),
        from,
        to,
        held.gibMillis(),
        cost == null ? null : cost.charge());
  }
}
