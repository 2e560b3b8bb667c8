package dev.fairlead.people.audit.chain;

import org.jspecify.annotations.Nullable;

/** Whether the end of the chain is valid, so that rows may be added to it. */
public enum ChainEnd {
  SOUND("the end of the chain matches the last seal"),
  OTHER_KEY("the end of the chain was made with another key file, or without one"),
  CUT_OFF("the end of the chain differs from the last seal"),
  AHEAD("the chain reaches further than the transactions of this database");

  private final String meaning;

  ChainEnd(String meaning) {
    this.meaning = meaning;
  }

  /** Returns a human-readable text, without a full stop. */
  public String meaning() {
    return meaning;
  }

  /**
   * A link that is known to be in the chain.
   *
   * @param signature signature of the link
   * @param incarnation incarnation of the installation when it was the last link
   */
  public record Known(long sequence, Digest signature, int incarnation) {}

  /**
   * Validates the end of the chain. A higher incarnation is the operator's confirmation that the
   * chain continues from here.
   *
   * @param last link of the chain, null if none
   * @param head newest, null if none
   * @param known the last link that this process sealed or found, null after its start
   * @param there the link with the sequence of {@code known}, null if none
   */
  public static ChainEnd of(
      ChainKey key,
      ChainPosition horizon,
      @Nullable ChainLink last,
      @Nullable ChainHead head,
      @Nullable Known known,
      @Nullable ChainLink there) {
    if (last == null && known == null) {
      return head == null ? SOUND : CUT_OFF;
    }
    int seen = known == null ? 0 : known.incarnation();
    if (last != null) {
      seen = Math.max(seen, last.position().incarnation());
    }
    if (horizon.incarnation() > seen) {
      return SOUND;
    }
    if ((last != null && !key.made(last)) || (head != null && !key.made(head))) {
      return OTHER_KEY;
    }
    if (!together(last, head)) {
      return CUT_OFF;
    }
    if (known != null && (there == null || !there.signature().equals(known.signature()))) {
      return CUT_OFF;
    }
    return last != null && last.position().compareTo(horizon) >= 0 ? AHEAD : SOUND;
  }

  /**
   * Returns whether the database was sealed with another key only. The chain then belongs to
   * another installation, or the key file is wrong. If only the link or only the head has another
   * key, it was changed later. A higher incarnation is the operator's confirmation that both belong
   * together.
   *
   * @param last link of the chain, null if none
   * @param head newest, null if none
   */
  public static boolean foreign(
      ChainKey key, ChainPosition horizon, @Nullable ChainLink last, @Nullable ChainHead head) {
    return last != null
        && head != null
        && !key.made(last)
        && !key.made(head)
        && horizon.incarnation() <= last.position().incarnation();
  }

  private static boolean together(@Nullable ChainLink last, @Nullable ChainHead head) {
    if (last == null || head == null) {
      return last == null && head == null;
    }
    return last.sequence() == head.sequence() && last.signature().equals(head.link());
  }
}
