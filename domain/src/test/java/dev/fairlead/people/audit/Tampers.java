package dev.fairlead.people.audit;

import dev.fairlead.people.audit.chain.ChainBreak.Kind;
import dev.fairlead.people.audit.chain.ChainHead;
import dev.fairlead.people.audit.chain.ChainKey;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPosition;
import dev.fairlead.people.audit.chain.ChainRow;
import dev.fairlead.people.audit.chain.Digest;
import dev.fairlead.people.audit.chain.SealedRow;
import dev.fairlead.people.audit.memory.MemoryAuditChain;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A sealed audit, and manipulations by a user with all rights on the database but without the key.
 */
final class Tampers {
  static final int ROWS = 40;

  /** Each manipulation, and the break that must be reported for it. */
  enum Way {
    CHANGE_ROW(Kind.ROW_CHANGED),
    REMOVE_ROW(Kind.ROW_MISSING),
    INSERT_ROW(Kind.ROW_INSERTED),
    COPY_ROW(Kind.ROW_INSERTED),
    SWAP_ROWS(Kind.ROW_CHANGED),
    MOVE_ROW_BACK(Kind.ROW_MISSING),
    MOVE_ROW_FORWARD(Kind.ROW_INSERTED),
    CHANGE_LINK(Kind.LINK_CHANGED),
    CHANGE_BATCH(Kind.LINK_CHANGED),
    SWAP_ROWS_OF_BATCH(Kind.LINK_CHANGED),
    FORGET_BATCH(Kind.LINK_MISSING),
    CHANGE_ROW_AND_LINK(Kind.LINK_CHANGED),
    REMOVE_LINK(Kind.LINK_MISSING),
    SWAP_LINKS(Kind.LINK_CHANGED),
    REMOVE_BOTH_AND_COUNT_AGAIN(Kind.LINK_CHANGED),
    SEAL_AGAIN_WITH_ANOTHER_KEY(Kind.LINK_CHANGED),
    LINK_OF_A_RESTORED_COPY(Kind.LINK_MOVED),
    CUT_OFF_LINKS(Kind.CUT_OFF),
    CUT_OFF_LINKS_AND_ROWS(Kind.CUT_OFF),
    CHANGE_HEAD(Kind.HEAD_CHANGED),
    REMOVE_HEAD(Kind.HEAD_MISSING);

    final Kind found;

    Way(Kind found) {
      this.found = found;
    }
  }

  final MemoryAuditChain audit = new MemoryAuditChain();
  private final ChainKey key;
  private final Random random;
  private final int most;

  /**
   * @param most rows of a batch
   */
  Tampers(ChainKey key, Random random, int most) {
    this.key = key;
    this.random = random;
    this.most = most;
    for (int i = 0; i < ROWS; i++) {
      audit.rows.add(row(position(i), "{\"actor\": \"ana\", \"n\": " + random.nextInt() + "}"));
    }
    seal(key, 0);
  }

  private static ChainPosition position(int i) {
    return new ChainPosition(1 + i / 25, 1_000 + i / 3 * 10, 2 * i);
  }

  private static ChainRow row(ChainPosition position, String content) {
    return new ChainRow(position, Instant.ofEpochSecond(position.row(), 1_000), content);
  }

  private void seal(ChainKey with, int from) {
    for (int i = from; i < ROWS; ) {
      int to = Math.min(ROWS, i + random.nextInt(1, most + 1));
      ChainLink last = audit.links.isEmpty() ? null : audit.links.getLast();
      ChainLink link = with.link(last, audit.rows.subList(i, to));
      audit.links.add(link);
      audit.heads.add(with.head(link));
      i = to;
    }
  }

  /** The violation that has to be found first. */
  record Expected(Kind kind, long sequence) {}

  /** Does it somewhere. */
  Expected tamper(Way way) {
    return way == Way.SWAP_LINKS ? swapLinks() : new Expected(way.found, sequence(way));
  }

  private long sequence(Way way) {
    int i = random.nextInt(1, ROWS - 1);
    int lower = random.nextInt(i);
    int l = random.nextInt(1, audit.links.size() - 1);
    ChainLink link = audit.links.get(l);
    return switch (way) {
      case CHANGE_ROW -> {
        audit.rows.set(i, changed(audit.rows.get(i)));
        yield i + 1;
      }
      case REMOVE_ROW -> {
        audit.rows.remove(i);
        yield i + 1;
      }
      case INSERT_ROW -> {
        audit.rows.add(row(before(i), "{\"actor\": \"eve\"}"));
        yield i;
      }
      case COPY_ROW -> {
        audit.rows.add(audit.rows.get(i));
        yield i + 1;
      }
      case SWAP_ROWS -> {
        swapRows(i, lower);
        yield lower + 1;
      }
      case MOVE_ROW_BACK -> {
        move(i, after(random.nextInt(i + 1, ROWS)));
        yield i + 1;
      }
      case MOVE_ROW_FORWARD -> {
        move(i, before(lower));
        yield lower;
      }
      case CHANGE_LINK -> {
        audit.links.set(l, changed(link));
        yield link.sequence();
      }
      case CHANGE_BATCH -> {
        List<SealedRow> rows = new ArrayList<>(link.rows());
        rows.replaceAll(row -> new SealedRow(row.position(), row.at(), flipped(row.content())));
        audit.links.set(l, link.withRows(rows));
        yield link.sequence();
      }
      case SWAP_ROWS_OF_BATCH -> swapRowsOfBatch();
      case FORGET_BATCH -> forgetBatch();
      case CHANGE_ROW_AND_LINK -> {
        changeBoth(l);
        yield link.sequence();
      }
      case REMOVE_LINK -> {
        audit.links.remove(l);
        yield link.first();
      }
      case SWAP_LINKS -> swapLinks().sequence();
      case REMOVE_BOTH_AND_COUNT_AGAIN -> {
        removeBoth(l);
        yield audit.links.get(l).sequence();
      }
      case SEAL_AGAIN_WITH_ANOTHER_KEY -> {
        sealAgain(l);
        yield audit.links.get(l).sequence();
      }
      case LINK_OF_A_RESTORED_COPY -> {
        linkOfACopy(l);
        yield link.sequence();
      }
      case CUT_OFF_LINKS -> {
        audit.links.subList(l, audit.links.size()).clear();
        yield link.first();
      }
      case CUT_OFF_LINKS_AND_ROWS -> {
        audit.links.subList(l, audit.links.size()).clear();
        audit.rows.subList((int) link.first() - 1, ROWS).clear();
        yield link.first();
      }
      case CHANGE_HEAD -> {
        ChainHead last = audit.heads.removeLast();
        audit.heads.add(new ChainHead(ROWS, last.link(), flipped(last.signature())));
        yield ROWS;
      }
      case REMOVE_HEAD -> {
        audit.heads.removeLast();
        yield ROWS;
      }
    };
  }

  /** The rows that the link sealed. */
  private List<ChainRow> rows(ChainLink link) {
    return audit.rows.subList((int) link.first() - 1, (int) link.sequence());
  }

  private int batch() {
    List<Integer> batches =
        IntStream.range(0, audit.links.size())
            .filter(n -> audit.links.get(n).rows().size() > 1)
            .boxed()
            .toList();
    return batches.get(random.nextInt(batches.size()));
  }

  private long swapRowsOfBatch() {
    int l = batch();
    ChainLink link = audit.links.get(l);
    List<SealedRow> rows = new ArrayList<>(link.rows());
    Collections.swap(rows, 0, 1);
    audit.links.set(l, link.withRows(rows));
    return link.sequence();
  }

  /**
   * Removes a batch's fields, so that the link resembles a link of one row, signed with the key.
   */
  private long forgetBatch() {
    int l = batch();
    ChainLink link = audit.links.get(l);
    SealedRow one = new SealedRow(link.position(), link.at(), link.content());
    audit.links.set(l, link.withRows(List.of(one)));
    return link.first();
  }

  private void swapRows(int i, int j) {
    ChainRow one = audit.rows.get(i);
    ChainRow other = audit.rows.get(j);
    audit.rows.set(i, new ChainRow(one.position(), one.at(), other.content()));
    audit.rows.set(j, new ChainRow(other.position(), other.at(), one.content()));
  }

  /** A link of fewer rows than its place has leaves rows without a link. */
  private Expected swapLinks() {
    int first = random.nextInt(audit.links.size() - 1);
    int second = random.nextInt(first + 1, audit.links.size());
    ChainLink one = audit.links.get(first);
    ChainLink other = audit.links.get(second);
    audit.links.set(first, other.withSequence(one.sequence()));
    audit.links.set(second, one.withSequence(other.sequence()));
    return other.rows().size() < one.rows().size()
        ? new Expected(Kind.LINK_MISSING, one.first())
        : new Expected(Kind.LINK_CHANGED, one.sequence());
  }

  private void move(int i, ChainPosition to) {
    ChainRow moved = audit.rows.remove(i);
    audit.rows.add(new ChainRow(to, moved.at(), moved.content()));
  }

  /** Positions of rows are two apart. */
  private static ChainPosition before(int i) {
    ChainPosition at = position(i);
    return new ChainPosition(at.incarnation(), at.transaction(), at.row() - 1);
  }

  private static ChainPosition after(int i) {
    ChainPosition at = position(i);
    return new ChainPosition(at.incarnation(), at.transaction(), at.row() + 1);
  }

  private void changeBoth(int l) {
    ChainLink old = audit.links.get(l);
    audit.rows.set((int) old.sequence() - 1, changed(audit.rows.get((int) old.sequence() - 1)));
    ChainLink fresh = key.link(audit.links.get(l - 1), rows(old));
    audit.links.set(l, old.with().content(fresh.content()).rows(fresh.rows()).build());
  }

  private void removeBoth(int l) {
    ChainLink link = audit.links.remove(l);
    int size = link.rows().size();
    audit.rows.subList((int) link.first() - 1, (int) link.sequence()).clear();
    for (int j = l; j < audit.links.size(); j++) {
      ChainLink later = audit.links.get(j);
      audit.links.set(j, later.withSequence(later.sequence() - size));
    }
  }

  private void sealAgain(int l) {
    ChainKey own = new ChainKey(new byte[] {1, 2, 3});
    int from = (int) audit.links.get(l).first() - 1;
    audit.rows.set(from, changed(audit.rows.get(from)));
    audit.links.subList(l, audit.links.size()).clear();
    audit.heads.clear();
    seal(own, from);
  }

  /** A copy had the same key and other rows. */
  private void linkOfACopy(int l) {
    List<ChainRow> others = rows(audit.links.get(l - 1)).stream().map(this::changed).toList();
    ChainLink other = key.link(l == 1 ? null : audit.links.get(l - 2), others);
    audit.links.set(l, key.link(other, rows(audit.links.get(l))));
  }

  private ChainRow changed(ChainRow row) {
    return new ChainRow(row.position(), row.at(), flipped(row.content()));
  }

  private ChainLink changed(ChainLink link) {
    ChainPosition at = link.position();
    return switch (random.nextInt(5)) {
      case 0 ->
          link.withPosition(new ChainPosition(at.incarnation(), at.transaction(), at.row() + 1));
      case 1 -> link.withAt(link.at().plusNanos(1_000));
      case 2 -> link.withContent(flipped(link.content()));
      case 3 -> link.withPrevious(flipped(link.previous()));
      default -> link.withSignature(flipped(link.signature()));
    };
  }

  private Digest flipped(Digest digest) {
    List<Long> parts = List.of(digest.first(), digest.second(), digest.third(), digest.fourth());
    int which = random.nextInt(4);
    long bit = 1L << random.nextInt(Long.SIZE);
    return new Digest(
        parts.get(0) ^ (which == 0 ? bit : 0),
        parts.get(1) ^ (which == 1 ? bit : 0),
        parts.get(2) ^ (which == 2 ? bit : 0),
        parts.get(3) ^ (which == 3 ? bit : 0));
  }
}
