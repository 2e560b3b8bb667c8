package dev.fairlead.kernel.resources;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Amounts as Kubernetes writes them: a decimal number and an optional suffix or decimal exponent
 * (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/). Negative
 * amounts and signs are refused: no request needs them.
 */
public final class Quantity {
  private static final int MAX_LENGTH = 24;
  private static final Pattern FORM =
      Pattern.compile(
          "([0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,2})?");
  private static final Map<String, BigDecimal> FACTORS = factors();
  private static final BigDecimal MEBI = new BigDecimal(1L << 20);
  private static final BigDecimal THOUSAND = new BigDecimal(1000);

  private Quantity() {}

  /**
   * Thousandths, rounded up (cores to milli-cores, GPUs to milli-GPUs), empty when the text is not
   * an amount or too large.
   */
  public static Optional<Long> milli(String text) {
    return parse(text).flatMap(n -> whole(n.multiply(THOUSAND)));
  }

  /** Mebibytes, rounded up. The text is in bytes unless it carries a suffix. */
  public static Optional<Long> mebibytes(String text) {
    return parse(text).flatMap(n -> whole(n.divide(MEBI, 6, RoundingMode.CEILING)));
  }

  /** Plain units, rounded up. */
  public static Optional<Long> units(String text) {
    return parse(text).flatMap(Quantity::whole);
  }

  /** Returns whether both strings are the same amount, regardless of notation. */
  public static boolean same(String one, String other) {
    Optional<BigDecimal> amount = parse(one);
    return amount.isPresent()
        && parse(other).filter(n -> n.compareTo(amount.get()) == 0).isPresent();
  }

  /** Writes thousandths as the shortest decimal: 1500 as {@code 1.5}. */
  public static String ofMilli(long milli) {
    return BigDecimal.valueOf(milli, 3).stripTrailingZeros().toPlainString();
  }

  /** Formats mebibytes in the largest binary unit without a fraction: 16384 as {@code 16Gi}. */
  public static String ofMebibytes(long mebibytes) {
    if (mebibytes != 0 && mebibytes % (1L << 20) == 0) {
      return (mebibytes >> 20) + "Ti";
    }
    return mebibytes != 0 && mebibytes % (1L << 10) == 0
        ? (mebibytes >> 10) + "Gi"
        : mebibytes + "Mi";
  }

  private static Optional<BigDecimal> parse(String text) {
    if (text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    String suffix = form.group(2) == null ? "" : form.group(2);
    BigDecimal factor = FACTORS.get(suffix);
    return Optional.of(
        factor == null
            ? new BigDecimal(text) // with an exponent
            : new BigDecimal(form.group(1)).multiply(factor));
  }

  private static Optional<Long> whole(BigDecimal amount) {
    BigDecimal rounded = amount.setScale(0, RoundingMode.CEILING);
    return rounded.toBigInteger().bitLength() > 53
        ? Optional.empty()
        : Optional.of(rounded.longValueExact());
  }

  private static Map<String, BigDecimal> factors() {
    Map<String, BigDecimal> factors = new TreeMap<>();
    factors.put("", BigDecimal.ONE);
    factors.put("n", new BigDecimal("0.000000001"));
    factors.put("u", new BigDecimal("0.000001"));
    factors.put("m", new BigDecimal("0.001"));
    String decimal = "kMGTPE";
    for (int i = 0; i < decimal.length(); i++) {
      factors.put(decimal.substring(i, i + 1), BigDecimal.TEN.pow(3 * (i + 1)));
    }
    String binary = "KMGTPE";
    for (int i = 0; i < binary.length(); i++) {
      factors.put(binary.charAt(i) + "i", BigDecimal.TWO.pow(10 * (i + 1)));
    }
    return factors;
  }
}
