package dev.fairlead.money.statement;

import dev.fairlead.data.volume.VolumeId;
import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.people.tenant.ProjectId;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A volume during the time in which it had its claim and one price applied. In a correction both
 * amounts may be negative.
 *
 * @param from time when its claim was created, or the start of the first hour of the price
 * @param to time when its claim was lost or forgotten, or the end of the last hour of the price
 * @param gibMillis requested GiB times milliseconds
 * @param charge null if no price applied
 */
public record VolumeLine(
    Key key, Names names, Instant from, Instant to, BigInteger gibMillis, @Nullable Charge charge) {
  /**
   * Key of a line.
   *
   * @param storageClass null for the default of the cluster
   */
  public record Key(
      VolumeId volume,
      ProjectId project,
      ClusterId cluster,
      @Nullable String storageClass,
      long sizeGib) {}

  /**
   * Names of the objects when the line is created.
   *
   * @param project its id if it no longer exists
   * @param cluster its id if it no longer exists
   * @param costCentre cost centre of the project, null if none
   */
  public record Names(String volume, String project, String cluster, @Nullable String costCentre) {}

  /**
   * What it costs.
   *
   * @param perGibMonth price of one GiB, for the whole month of the statement
   * @param micros amount in millionths of a unit of the currency
   */
  public record Charge(PriceId price, Money perGibMonth, BigInteger micros) {}

  /**
   * The lines of a stay, in their order. As with GPUs, the price at the start of an hour applies to
   * the whole hour.
   *
   * @param month spans of the whole month of the statement
   */
  public static List<VolumeLine> of(VolumeStay stay, Names names, PriceSpans month) {
    long monthMillis = month.endMillis() - month.begins().getFirst();
    Key key =
        new Key(stay.volume(), stay.project(), stay.cluster(), stay.storageClass(), stay.sizeGib());
    List<VolumeLine> lines = new ArrayList<>();
    for (PriceSpans.Run run : month.storage(stay.cluster(), stay.storageClass())) {
      Instant from = stay.from().isAfter(run.from()) ? stay.from() : run.from();
      Instant to = stay.to().isBefore(run.to()) ? stay.to() : run.to();
      BigInteger gibMillis = stay.gibMillis(from, to);
      if (gibMillis.signum() > 0) {
        Charge charge = charge(run.price(), gibMillis, monthMillis);
        lines.add(new VolumeLine(key, names, from, to, gibMillis, charge));
      }
    }
    return lines;
  }

  private static @Nullable Charge charge(
      @Nullable Price price, BigInteger gibMillis, long monthMillis) {
    return price == null
        ? null
        : new Charge(
            price.id(),
            price.perUnit(),
            StatementLine.cost(
                price.perUnit(), new BigDecimal(gibMillis), BigDecimal.valueOf(monthMillis)));
  }

  /** The row that reverses this line. */
  VolumeLine negated() {
    Charge all = charge;
    return new VolumeLine(
        key,
        names,
        from,
        to,
        gibMillis.negate(),
        all == null ? null : new Charge(all.price(), all.perGibMonth(), all.micros().negate()));
  }
}
