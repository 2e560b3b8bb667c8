package dev.fairlead.people.audit.chain;

import dev.fairlead.people.audit.chain.ChainBreak.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds the positions of a page at which rows, links or head differ from the sealed chain. */
public final class ChainCheck {
  private final ChainKey key;
  private final List<ChainRow> rows;
  private final long after;
  private @Nullable ChainLink before;
  private long sequence;
  private int row;
  private boolean displaced;
  private final List<ChainBreak> found = new ArrayList<>();

  private ChainCheck(ChainKey key, long after, ChainPage page) {
    this.key = key;
    this.rows = page.rows();
    this.after = after;
    this.before = page.before();
    this.sequence = before == null ? 0 : before.sequence();
  }

  /**
   * Returns the first break of the page.
   *
   * @param after sequence of the last row before the page, 0 at the start of the chain. Earlier
   *     rows of the same batch are compared, and their breaks are not returned
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
    boolean gap = false;
    if (before != null && !key.made(before)) {
      gap = true;
      if (sequence == after) {
        add(ChainBreak.of(Kind.LINK_CHANGED, before));
      }
    }
    for (ChainLink link : page.links()) {
      gap |= gapBefore(link);
      link(link, gap);
      before = link;
      sequence = link.sequence();
      gap = false;
    }
    if (sequence < after) {
      add(ChainBreak.of(Kind.LINK_MISSING, after));
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

  /** Returns whether rows between the previous link and this one are in no link. */
  private boolean gapBefore(ChainLink link) {
    long first = link.rows().isEmpty() ? sequence + 1 : link.first();
    if (first <= sequence + 1) {
      return false;
    }
    if (first > after) {
      add(ChainBreak.of(Kind.LINK_MISSING, Math.max(sequence + 1, after)));
    }
    return true;
  }

  /** After a gap, the previous link is unknown. */
  private void link(ChainLink link, boolean gap) {
    if (!key.made(link)) {
      add(ChainBreak.of(Kind.LINK_CHANGED, link));
      link.rows().forEach(this::skip);
      return;
    }
    Digest previous = before == null ? Digest.NONE : before.signature();
    if (!gap && !link.previous().equals(previous)) {
      add(ChainBreak.of(Kind.LINK_MOVED, link));
    }
    long number = link.first();
    for (SealedRow sealed : link.rows()) {
      rowOf(number, sealed);
      number++;
    }
  }

  private void skip(SealedRow sealed) {
    if (row < rows.size() && rows.get(row).position().equals(sealed.position())) {
      row++;
    }
  }

  /** Rows before the sealed row belong to no link. */
  private void rowOf(long number, SealedRow sealed) {
    ChainBreak fault = row(number, sealed);
    while (fault != null && fault.kind() == Kind.ROW_INSERTED) {
      displaced = true;
      report(number, fault);
      row++;
      fault = row(number, sealed);
    }
    report(number, fault);
  }

  private void report(long number, @Nullable ChainBreak fault) {
    if (number > after) {
      add(fault);
    }
  }

  private @Nullable ChainBreak row(long number, SealedRow sealed) {
    ChainRow next = row < rows.size() ? rows.get(row) : null;
    int place = next == null ? 1 : next.position().compareTo(sealed.position());
    if (next == null && displaced) {
      return null;
    }
    if (next == null || place > 0) {
      return ChainBreak.of(Kind.ROW_MISSING, number, sealed);
    }
    if (place < 0) {
      return ChainBreak.of(Kind.ROW_INSERTED, number - 1, next);
    }
    row++;
    return next.content().equals(sealed.content())
        ? null
        : ChainBreak.of(Kind.ROW_CHANGED, number, next);
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
