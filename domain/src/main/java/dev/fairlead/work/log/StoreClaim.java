package dev.fairlead.work.log;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The claim of a log store. It names the database that the logs belong to. Two databases can have
 * the same installation and incarnation when one is a copy of the other. The nonce distinguishes
 * them: the database stores each nonce before the claim gets it, and a copy does not know later
 * nonces.
 *
 * @param installation label of the installation
 * @param incarnation incarnation of the database
 * @param nonce nonce of the last write, {@link #CONTESTED}, empty if none was written
 */
public record StoreClaim(String installation, int incarnation, String nonce) {
  /** Replaces the nonce if two databases write the claim. Neither removes anything. */
  public static final String CONTESTED = "contested";

  private static final Pattern TEXT = Pattern.compile("(\\S+) ([0-9]{1,9})(?: ([a-z0-9]{1,64}))?");

  /** Relation of the claim to the database that reads it. */
  public enum Holder {
    /** No database has written a nonce since the location was claimed. */
    FREE,
    /** This database wrote the claim last. */
    OURS,
    /** Another database with the same installation and incarnation wrote the claim last. */
    OTHERS,
    /** Two databases were found to write the claim. */
    CONTESTED
  }

  /** The result is empty when the text is not a claim. */
  public static Optional<StoreClaim> of(String text) {
    Matcher parts = TEXT.matcher(text);
    return parts.matches()
        ? Optional.of(
            new StoreClaim(
                parts.group(1),
                Integer.parseInt(parts.group(2)),
                parts.group(3) == null ? "" : parts.group(3)))
        : Optional.empty();
  }

  /**
   * @param given nonces that this database has stored
   */
  public Holder holder(List<String> given) {
    if (nonce.equals(CONTESTED)) {
      return Holder.CONTESTED;
    }
    if (nonce.isEmpty()) {
      return Holder.FREE;
    }
    return given.contains(nonce) ? Holder.OURS : Holder.OTHERS;
  }

  /** Returns the claim with another nonce. */
  public StoreClaim with(String next) {
    return new StoreClaim(installation, incarnation, next);
  }

  /** The written form. */
  public String text() {
    return installation + " " + incarnation + (nonce.isEmpty() ? "" : " " + nonce);
  }
}
