package dev.fairlead.licence;

/**
 * Something counted that no node has, of which attempts on all clusters together hold no more than
 * there is.
 *
 * @param name a DNS label of at most 63 characters
 * @param count how many there are, 0 to {@value #MOST}; below what is held, nothing new starts that
 *     asks for it
 */
public record Licence(String name, int count) {
  /** Most of one licence. */
  public static final int MOST = 1_000_000;

  /** Most licences of an installation, and that one job asks for. */
  public static final int KINDS = 200;

  public Licence {
    if (count < 0 || count > MOST) {
      throw new IllegalArgumentException("count " + count);
    }
  }
}
