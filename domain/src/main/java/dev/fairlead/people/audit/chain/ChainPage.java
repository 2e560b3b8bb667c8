package dev.fairlead.people.audit.chain;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the chain with its rows, from one view of the database.
 *
 * @param before the last link up to the start of the page, null if none
 * @param links in order. The first may seal rows up to the start too
 * @param rows after the last row of {@code before}, in order: one more than the links seal, if it
 *     exists
 * @param head newest link, null if none
 * @param end whether the last link of the chain is among them or is {@code before}
 */
public record ChainPage(
    @Nullable ChainLink before,
    List<ChainLink> links,
    List<ChainRow> rows,
    @Nullable ChainHead head,
    boolean end) {
  /** Returns the last link of the page, or the link before it, null if the chain is empty. */
  public @Nullable ChainLink last() {
    return links.isEmpty() ? before : links.getLast();
  }

  /** Returns the number of rows after that sequence that the links seal. */
  public int sealed(long after) {
    return links.stream()
        .mapToInt(link -> Math.toIntExact(Math.min(link.rows().size(), link.sequence() - after)))
        .sum();
  }
}
