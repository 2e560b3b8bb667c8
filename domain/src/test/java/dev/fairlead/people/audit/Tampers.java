package dev.fairlead.people.audit;

import dev.fairlead.people.audit.ChainBreak.Kind;
import dev.fairlead.people.audit.memory.MemoryAuditChain;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/**
 * A sealed audit, and manipulations by a user with all rights on the database but without the key.
 */
final class Tampers {
  static final int ROWS = 40;

  /** Each way, and which break it has to be found as. */
  enum Way {
    CHANGE_ROW(Kind.ROW_CHANGED),
    REMOVE_ROW(Kind.ROW_MISSING),
    INSERT_ROW(Kind.ROW_INSERTED),
    COPY_ROW(Kind.ROW_INSERTED),
    SWAP_ROWS(Kind.ROW_CHANGED),
    MOVE_ROW_BACK(Kind.ROW_MISSING),
    MOVE_ROW_FORWARD(Kind.ROW_INSERTED),
    CHANGE_LINK(Kind.LINK_CHANGED),
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

  Tampers(ChainKey key, Random random) {
    this.key = key;
    this.random = random;
    for (int i = 0; i < ROWS; i++) {
      audit.rows.add(row(position(i), "{\"actor\": \"ana\", \"n\": " + random.nextInt() + "}"));
    }
    seal(key, 0, ROWS / 2);
    seal(key, ROWS / 2, ROWS);
  }

  private static ChainPosition position(int i) {
    return new ChainPosition(1 + i / 25, 1_000 + i / 3 * 10, 2 * i);
  }

  private static ChainRow row(ChainPosition position, String content) {
    return new ChainRow(position, Instant.ofEpochSecond(position.row(), 1_000), content);
  }

  private void seal(ChainKey with, int from, int to) {
    for (int i = from; i < to; i++) {
      audit.links.add(with.link(i == 0 ? null : audit.links.get(i - 1), audit.rows.get(i)));
    }
    audit.heads.add(with.head(audit.links.getLast()));
  }

  /** Does it somewhere; the sequence that has to be named. */
  long tamper(Way way) {
    int i = random.nextInt(1, ROWS - 1);
    int lower = random.nextInt(i);
    switch (way) {
      case CHANGE_ROW -> audit.rows.set(i, changed(audit.rows.get(i)));
      case REMOVE_ROW -> audit.rows.remove(i);
      case INSERT_ROW -> {
        audit.rows.add(row(before(i), "{\"actor\": \"eve\"}"));
        return i;
      }
      case COPY_ROW -> audit.rows.add(audit.rows.get(i));
      case SWAP_ROWS -> swapRows(i, lower);
      case MOVE_ROW_BACK -> move(i, after(random.nextInt(i + 1, ROWS)));
      case MOVE_ROW_FORWARD -> {
        move(i, before(lower));
        return lower;
      }
      case CHANGE_LINK -> audit.links.set(i, changed(audit.links.get(i)));
      case CHANGE_ROW_AND_LINK -> changeBoth(i);
      case REMOVE_LINK -> audit.links.remove(i);
      case SWAP_LINKS -> swapLinks(i, lower);
      case REMOVE_BOTH_AND_COUNT_AGAIN -> removeBoth(i);
      case SEAL_AGAIN_WITH_ANOTHER_KEY -> sealAgain(i);
      case LINK_OF_A_RESTORED_COPY -> linkOfACopy(i);
      case CUT_OFF_LINKS -> audit.links.subList(i, ROWS).clear();
      case CUT_OFF_LINKS_AND_ROWS -> {
        audit.links.subList(i, ROWS).clear();
        audit.rows.subList(i, ROWS).clear();
      }
      case CHANGE_HEAD -> {
        ChainHead last = audit.heads.removeLast();
        audit.heads.add(new ChainHead(ROWS, last.link(), flipped(last.signature())));
        return ROWS;
      }
      case REMOVE_HEAD -> {
        audit.heads.removeLast();
        return ROWS;
      }
    }
    return way == Way.SWAP_ROWS || way == Way.SWAP_LINKS ? lower + 1 : i + 1;
  }

  private void swapRows(int i, int j) {
    ChainRow one = audit.rows.get(i);
    ChainRow other = audit.rows.get(j);
    audit.rows.set(i, new ChainRow(one.position(), one.at(), other.content()));
    audit.rows.set(j, new ChainRow(other.position(), other.at(), one.content()));
  }

  private void swapLinks(int i, int j) {
    ChainLink one = audit.links.get(i);
    audit.links.set(i, numbered(audit.links.get(j), i + 1));
    audit.links.set(j, numbered(one, j + 1));
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

  private void changeBoth(int i) {
    audit.rows.set(i, changed(audit.rows.get(i)));
    ChainLink old = audit.links.get(i);
    audit.links.set(
        i,
        new ChainLink(
            old.sequence(),
            old.position(),
            old.at(),
            key.digest(audit.rows.get(i)),
            old.previous(),
            old.signature()));
  }

  private void removeBoth(int i) {
    audit.rows.remove(i);
    audit.links.remove(i);
    for (int j = i; j < audit.links.size(); j++) {
      audit.links.set(j, numbered(audit.links.get(j), j + 1));
    }
  }

  private void sealAgain(int i) {
    ChainKey own = new ChainKey(new byte[] {1, 2, 3});
    audit.rows.set(i, changed(audit.rows.get(i)));
    audit.links.subList(i, ROWS).clear();
    audit.heads.clear();
    seal(own, i, ROWS);
  }

  /** A copy had the same key and another first row. */
  private void linkOfACopy(int i) {
    ChainLink other = key.link(i == 1 ? null : audit.links.get(i - 2), changed(audit.rows.get(i)));
    audit.links.set(i, key.link(other, audit.rows.get(i)));
  }

  private ChainRow changed(ChainRow row) {
    int at = random.nextInt(row.content().length());
    char other = row.content().charAt(at) == 'x' ? 'y' : 'x';
    String content = row.content().substring(0, at) + other + row.content().substring(at + 1);
    return new ChainRow(row.position(), row.at(), content);
  }

  private ChainLink changed(ChainLink link) {
    ChainPosition at = link.position();
    return switch (random.nextInt(5)) {
      case 0 ->
          new ChainLink(
              link.sequence(),
              new ChainPosition(at.incarnation(), at.transaction(), at.row() + 1),
              link.at(),
              link.content(),
              link.previous(),
              link.signature());
      case 1 ->
          new ChainLink(
              link.sequence(),
              at,
              link.at().plusNanos(1_000),
              link.content(),
              link.previous(),
              link.signature());
      case 2 -> with(link, flipped(link.content()), link.previous(), link.signature());
      case 3 -> with(link, link.content(), flipped(link.previous()), link.signature());
      default -> with(link, link.content(), link.previous(), flipped(link.signature()));
    };
  }

  private static ChainLink with(ChainLink link, Digest content, Digest previous, Digest signature) {
    return new ChainLink(link.sequence(), link.position(), link.at(), content, previous, signature);
  }

  private static ChainLink numbered(ChainLink link, long sequence) {
    return new ChainLink(
        sequence, link.position(), link.at(), link.content(), link.previous(), link.signature());
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
