package dev.fairlead.audit;

import dev.fairlead.audit.ChainBreak.Kind;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looks for the first place of a page at which rows, links or head are not what was sealed. */
public final class ChainCheck {
  private final ChainKey key;
  private final List<ChainRow> rows;
  private @Nullable ChainLink before;
  private long sequence;
  private int row;

  private ChainCheck(ChainKey key, long after, ChainPage page) {
    this.key = key;
    this.rows = page.rows();
    this.before = page.before();
    this.sequence = after;
  }

  /**
   * The first break of the page.
   *
   * @param after sequence of the link in front of the page, 0 at the begin of the chain
   */
  public static Optional<ChainBreak> first(ChainKey key, long after, ChainPage page) {
    return Optional.ofNullable(new ChainCheck(key, after, page).first(page));
  }

  private @Nullable ChainBreak first(ChainPage page) {
    ChainBreak found = begin();
    for (ChainLink link : page.links()) {
      if (found != null) {
        return found;
      }
      sequence++;
      found = link(link);
      if (found == null) {
        found = row(link);
      }
      before = link;
    }
    if (found == null) {
      found = rest();
    }
    return found == null && page.end() ? head(page.head()) : found;
  }

  private @Nullable ChainBreak begin() {
    if (sequence == 0) {
      return null;
    }
    if (before == null) {
      return ChainBreak.of(Kind.LINK_MISSING, sequence);
    }
    return key.made(before) ? null : ChainBreak.of(Kind.LINK_CHANGED, before);
  }

  private @Nullable ChainBreak link(ChainLink link) {
    if (link.sequence() != sequence) {
      return ChainBreak.of(Kind.LINK_MISSING, sequence);
    }
    if (!key.made(link)) {
      return ChainBreak.of(Kind.LINK_CHANGED, link);
    }
    Digest previous = before == null ? Digest.NONE : before.signature();
    return link.previous().equals(previous) ? null : ChainBreak.of(Kind.LINK_MOVED, link);
  }

  private @Nullable ChainBreak row(ChainLink link) {
    ChainRow next = row < rows.size() ? rows.get(row) : null;
    int place = next == null ? 1 : next.position().compareTo(link.position());
    if (next == null || place > 0) {
      return ChainBreak.of(Kind.ROW_MISSING, link);
    }
    if (place < 0) {
      return ChainBreak.of(Kind.ROW_INSERTED, sequence - 1, next);
    }
    row++;
    return key.digest(next).equals(link.content())
        ? null
        : ChainBreak.of(Kind.ROW_CHANGED, sequence, next);
  }

  /** What stands behind the last row is not sealed yet, unless it stands in its place. */
  private @Nullable ChainBreak rest() {
    ChainRow next = row < rows.size() ? rows.get(row) : null;
    return before != null && next != null && next.position().compareTo(before.position()) <= 0
        ? ChainBreak.of(Kind.ROW_INSERTED, sequence, next)
        : null;
  }

  private @Nullable ChainBreak head(@Nullable ChainHead head) {
    if (head == null) {
      return sequence == 0 ? null : ChainBreak.of(Kind.HEAD_MISSING, sequence);
    }
    if (!key.made(head)) {
      return ChainBreak.of(Kind.HEAD_CHANGED, head.sequence());
    }
    if (head.sequence() > sequence) {
      return ChainBreak.of(Kind.CUT_OFF, sequence + 1);
    }
    boolean same = before != null && head.link().equals(before.signature());
    return same ? null : ChainBreak.of(Kind.HEAD_MISSING, sequence);
  }
}
