package dev.fairlead.money.statement;

import dev.fairlead.money.price.PriceId;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Differences between a signed statement and one computed today. */
public final class Corrections {
  private Corrections() {}

  /** Lines of the same key, hours and price are compared. Names may have changed. */
  private record Same(StatementKey key, Instant from, Instant to, @Nullable PriceId price) {
    private static Same of(StatementLine line) {
      StatementLine.Charge charge = line.charge();
      return new Same(line.key(), line.from(), line.to(), charge == null ? null : charge.price());
    }
  }

  /** A row for each difference, to be added to the signed lines. */
  public static List<StatementLine> between(
      List<StatementLine> signed, List<StatementLine> reckoned) {
    Map<Same, StatementLine> before = new LinkedHashMap<>();
    signed.forEach(line -> before.put(Same.of(line), line));
    List<StatementLine> rows = new ArrayList<>();
    for (StatementLine line : reckoned) {
      StatementLine old = before.remove(Same.of(line));
      StatementLine row = old == null ? line : difference(line, 1, old);
      if (row.milliMillis() != 0) {
        rows.add(row);
      }
    }
    before.values().forEach(gone -> rows.add(difference(gone, -1, null)));
    return rows;
  }

  private record SameVolume(VolumeLine.Key key, Instant from, Instant to, @Nullable PriceId price) {
    private static SameVolume of(VolumeLine line) {
      VolumeLine.Charge charge = line.charge();
      return new SameVolume(
          line.key(), line.from(), line.to(), charge == null ? null : charge.price());
    }
  }

  /**
   * Returns the corrections for volumes. The amount of a volume over a time at a price is constant,
   * so a different line is reversed and the new line is added. Statements that were signed before
   * storage had prices contain no volumes, so volumes without a price are not a correction.
   */
  public static List<VolumeLine> ofVolumes(List<VolumeLine> signed, List<VolumeLine> reckoned) {
    Map<SameVolume, VolumeLine> before = new LinkedHashMap<>();
    signed.forEach(line -> before.put(SameVolume.of(line), line));
    List<VolumeLine> rows = new ArrayList<>();
    for (VolumeLine line : reckoned) {
      boolean told = before.remove(SameVolume.of(line)) != null;
      if (!told && (line.charge() != null || !signed.isEmpty())) {
        rows.add(line);
      }
    }
    before.values().forEach(gone -> rows.add(gone.negated()));
    return rows;
  }

  /** Likewise for charges of idle capacity. */
  public static List<IdleLine> ofIdle(List<IdleLine> signed, List<IdleLine> reckoned) {
    SortedMap<IdleLine.Key, IdleLine> now = new TreeMap<>();
    reckoned.forEach(share -> now.put(share.key(), share));
    for (IdleLine share : signed) {
      now.put(share.key(), now.getOrDefault(share.key(), IdleLine.none(share.key())).minus(share));
    }
    return now.values().stream().filter(row -> !row.isNothing()).toList();
  }

  private static BigInteger signed(BigInteger micros, int sign) {
    return sign < 0 ? micros.negate() : micros;
  }

  private static StatementLine difference(
      StatementLine line, int sign, @Nullable StatementLine less) {
    StatementLine.Charge charge = line.charge();
    StatementLine.Charge before = less == null ? null : less.charge();
    return new StatementLine(
        line.key(),
        line.names(),
        line.from(),
        line.to(),
        sign * line.milliMillis() - (less == null ? 0 : less.milliMillis()),
        charge == null
            ? null
            : new StatementLine.Charge(
                charge.price(),
                charge.perGpuHour(),
                signed(charge.micros(), sign)
                    .subtract(before == null ? BigInteger.ZERO : before.micros())));
  }
}
