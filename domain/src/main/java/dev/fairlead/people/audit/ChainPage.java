package dev.fairlead.people.audit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the chain with its rows, from one view of the database.
 *
 * @param before the link before the first one, null at the start of the chain or if it is missing
 * @param links in order
 * @param rows after the row of {@code before}, in order: one more than links, if it exists
 * @param head the newest one, null if there is none
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
}
