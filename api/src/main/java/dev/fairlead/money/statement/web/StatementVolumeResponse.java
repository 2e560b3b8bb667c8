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
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A volume during a time in which it had a claim and a single price applied. Amounts of corrections
 * may be negative.
 *
 * @param from creation of the claim, or start of the first hour of the price, in UTC
 * @param to loss or removal of the claim, end of the last hour of the price, or now
 * @param storageClass requested storage class, null for the default of the cluster
 * @param sizeGib requested size in GiB, regardless of its content
 * @param cost cost of the volume, null if there is no price
 * @param costCentre cost centre of the project when the statement was created, null if none
 */
@RecordBuilder
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
   * Storage that was held.
   *
   * @param gibHours GiB-hours, rounded to a millionth
   * @param gibMillis exact storage: GiB times milliseconds
   */
  record StatementHeld(BigDecimal gibHours, BigInteger gibMillis) {
    static StatementHeld of(BigInteger gibMillis) {
      return new StatementHeld(VolumeStay.gibHours(gibMillis), gibMillis);
    }
  }

  /**
   * Cost of the storage.
   *
   * @param price id in the price book
   * @param pricePerGibMonth price of one GiB for the whole month of the statement
   * @param amount price times exact time and size, rounded half to even to a millionth of a unit
   * @param currency currency (ISO 4217)
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
    return StatementVolumeResponseBuilder.builder()
        .from(line.from())
        .to(line.to())
        .volume(new StatementThing(key.volume().text(), names.volume()))
        .project(new StatementThing(key.project().text(), names.project()))
        .cluster(new StatementThing(key.cluster().text(), names.cluster()))
        .storageClass(key.storageClass())
        .sizeGib(key.sizeGib())
        .held(StatementHeld.of(line.gibMillis()))
        .cost(StatementStorageCost.of(line.charge()))
        .costCentre(names.costCentre())
        .build();
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
