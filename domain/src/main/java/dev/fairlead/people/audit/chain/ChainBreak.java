package dev.fairlead.people.audit.chain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The first difference between the audit and its sealed chain.
 *
 * @param sequence sequence of the link, or of the missing link. For an added row, of the link
 *     before it
 * @param row number of the row, null if unknown
 * @param at start of the change of the row, null if there is no known row
 * @param message description of the break
 */
public record ChainBreak(
    Kind kind, long sequence, @Nullable Long row, @Nullable Instant at, String message) {
  public ChainBreak(Kind kind, long sequence, @Nullable Long row, @Nullable Instant at) {
    this(kind, sequence, row, at, kind.meaning());
  }

  /** The kind of fault. */
  public enum Kind {
    ROW_CHANGED("the row differs from its sealed content"),
    ROW_MISSING("the row was removed"),
    ROW_INSERTED("a row was added between rows that were sealed"),
    LINK_CHANGED("the link was changed, or written without the key"),
    LINK_MISSING("the link was removed"),
    LINK_MOVED("the link belongs behind another one"),
    HEAD_CHANGED("the head was changed, or written without the key"),
    HEAD_MISSING("the head of the last links was removed"),
    CUT_OFF("the chain once reached further: its last links were removed");

    private final String meaning;

    Kind(String meaning) {
      this.meaning = meaning;
    }

    /** Returns a human-readable text, without a full stop. */
    public String meaning() {
      return meaning;
    }
  }

  static ChainBreak of(Kind kind, ChainLink link) {
    return new ChainBreak(kind, link.sequence(), link.position().row(), link.at());
  }

  static ChainBreak of(Kind kind, long sequence, SealedRow row) {
    return new ChainBreak(kind, sequence, row.position().row(), row.at());
  }

  static ChainBreak of(Kind kind, long sequence, ChainRow row) {
    return new ChainBreak(kind, sequence, row.position().row(), row.at());
  }

  static ChainBreak of(Kind kind, long sequence) {
    return new ChainBreak(kind, sequence, null, null);
  }
}
