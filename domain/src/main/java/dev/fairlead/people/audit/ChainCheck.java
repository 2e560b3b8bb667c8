package dev.fairlead.people.audit;

import dev.fairlead.people.audit.ChainBreak.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the positions of a page at which rows, links or head differ from the sealed chain. */
public final class ChainCheck {
  private final ChainKey key;
  private final List<ChainRow> rows;
  private @Nullable ChainLink before;
  private long sequence;
  private int row;
  private final List<ChainBreak> found = new ArrayList<>();

  private ChainCheck(ChainKey key, long after, ChainPage page) {
    this.key = key;
    this.rows = page.rows();
    this.before = page.before();
    this.sequence = after;
  }

  /**
   * Returns the first break of the page.
   *
   * @param after sequence of the link before the page, 0 at the start of the chain
   */
  public static Optional<ChainBreak> first(ChainKey key, long after, ChainPage page) {
    return all(key, after, page).stream().findFirst();
  }

  /**
   * Returns every break of the page, in order. After a break the check continues with the next
   * link.
   */
  public static List<ChainBreak> all(ChainKey key, long after, ChainPage page) {
    ChainCheck check = new ChainCheck(key, after, page);
    check.look(page);
    return check.found;
  }

  private void look(ChainPage page) {
    boolean gap = sequence != 0 && before == null;
    add(begin());
    for (ChainLink link : page.links()) {
      sequence++;
      if (link.sequence() != sequence) {
        add(ChainBreak.of(Kind.LINK_MISSING, sequence));
        sequence = link.sequence();
        gap = true;
      }
      link(link, gap);
      before = link;
      gap = false;
    }
    add(rest());
    if (page.end()) {
      add(head(page.head()));
    }
  }

  private void add(@Nullable ChainBreak fault) {
    if (fault != null) {
      found.add(fault);
    }
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

  /** After a gap, the previous link is unknown. */
  private void link(ChainLink link, boolean gap) {
    if (!key.made(link)) {
      add(ChainBreak.of(Kind.LINK_CHANGED, link));
      if (row < rows.size() && rows.get(row).position().equals(link.position())) {
        row++;
      }
      return;
    }
    Digest previous = before == null ? Digest.NONE : before.signature();
    if (!gap && !link.previous().equals(previous)) {
      add(ChainBreak.of(Kind.LINK_MOVED, link));
    }
    rowOf(link);
  }

  /** Rows before the row of the link belong to no link. */
  private void rowOf(ChainLink link) {
    ChainBreak fault = row(link);
    while (fault != null && fault.kind() == Kind.ROW_INSERTED) {
      found.add(fault);
      row++;
      fault = row(link);
    }
    add(fault);
  }

  private @Nullable ChainBreak row(ChainLink link) {
    ChainRow next = row < rows.size() ? rows.get(row) : null;
    int place = next == null ? 1 : next.position().compareTo(link.position());
    if (next == null && inserted()) {
      return null;
    }
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

  /** Returns whether added rows displaced other rows from the page. */
  private boolean inserted() {
    return found.stream().anyMatch(fault -> fault.kind() == Kind.ROW_INSERTED);
  }

  /** Rows after the last sealed row are not sealed yet, unless their position is before it. */
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
