package dev.fairlead.people.audit;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the chain with the rows that it ties, in one view of the database.
 *
 * @param before the link in front of the first one, null at the begin of the chain, or when it is
 *     missing
 * @param links in their order
 * @param rows behind that of {@code before}, in their order: one more than links, if there is one
 * @param head the newest one, null when there is none
 * @param end whether the last link of the chain is among them, or is the one before
 */
public record ChainPage(
    @Nullable ChainLink before,
    List<ChainLink> links,
    List<ChainRow> rows,
    @Nullable ChainHead head,
    boolean end) {
  /** The last link of the page or the one before it; null when the chain is empty. */
  public @Nullable ChainLink last() {
    return links.isEmpty() ? before : links.getLast();
  }
}
