package dev.fairlead.people.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.figures.Figure;
import dev.fairlead.people.audit.chain.ChainBreak;
import dev.fairlead.people.audit.chain.ChainCheck;
import dev.fairlead.people.audit.chain.ChainContent;
import dev.fairlead.people.audit.chain.ChainKey;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPage;
import dev.fairlead.people.audit.chain.ChainPosition;
import dev.fairlead.people.audit.chain.ChainRow;
import dev.fairlead.people.audit.memory.MemoryAuditChain;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Any manipulation of a sealed audit without the key is found, and the first bad row is named. */
class AuditTamperTest {
  private static final int TAMPERS = Figure.times(2_000, 10_000);
  private static final int SPEED_ROWS = Figure.times(20_000, 200_000);
  private static final int MOST = 9;
  private static final int BATCH = 100;
  private static final byte[] SECRET = new byte[32];

  /** As a caller verifies: page by page, until a break or the end. */
  private static Optional<ChainBreak> verify(ChainKey key, MemoryAuditChain audit, int size) {
    long after = 0;
    while (true) {
      ChainPage page = audit.page(after, size);
      Optional<ChainBreak> found = ChainCheck.first(key, after, page);
      ChainLink last = page.last();
      if (found.isPresent() || page.end() || last == null) {
        return found;
      }
      after = last.sequence();
    }
  }

  /** Fails when an unchanged audit counts as broken at a page boundary. */
  @Test
  void untamperedRowsHaveNoBreak() {
    ChainKey key = new ChainKey(SECRET);
    MemoryAuditChain audit = new Tampers(key, new Random(1), MOST).audit;
    for (int size = 1; size <= Tampers.ROWS + 1; size++) {
      assertThat(verify(key, audit, size)).as("pages of %s", size).isEmpty();
    }
    for (int after = 1; after <= Tampers.ROWS; after++) {
      assertThat(ChainCheck.all(key, after, audit.page(after, 5))).as("after %s", after).isEmpty();
    }
    assertThat(verify(key, new MemoryAuditChain(), 10)).isEmpty();
  }

  /** Fails when any comparison of {@link ChainCheck} is left out, or names a later row. */
  @Tag(Figure.TAG)
  @Test
  void randomTamperingIsDetectedAndTheFirstBadRowIsNamed() {
    ChainKey key = new ChainKey(SECRET);
    Map<Tampers.Way, Integer> found = new EnumMap<>(Tampers.Way.class);
    for (int seed = 0; seed < TAMPERS; seed++) {
      Random random = new Random(seed);
      Tampers tampers = new Tampers(key, random, MOST);
      Tampers.Way way = Tampers.Way.values()[random.nextInt(Tampers.Way.values().length)];
      Tampers.Expected expected = tampers.tamper(way);

      ChainBreak first =
          verify(key, tampers.audit, random.nextInt(1, Tampers.ROWS + 2)).orElse(null);

      assertThat(first).as("%s, seed %s", way, seed).isNotNull();
      assertThat(first.kind()).as("%s, seed %s", way, seed).isEqualTo(expected.kind());
      assertThat(first.sequence()).as("%s, seed %s", way, seed).isEqualTo(expected.sequence());
      found.merge(way, 1, Integer::sum);
    }
    assertThat(found).hasSameSizeAs(Tampers.Way.values());
    found.forEach((way, n) -> say("%-28s %5d found as %s", way, n, way.found));
    say("tampers: %d, all found, first bad row named", TAMPERS);
  }

  /** Fails when rows after the first break of a page are not compared. */
  @Test
  void everyBreakOfAPageIsDetected() {
    ChainKey key = new ChainKey(SECRET);
    MemoryAuditChain audit = new Tampers(key, new Random(1), 1).audit;
    audit.rows.remove(30);
    ChainRow at = audit.rows.get(20);
    audit.rows.set(20, new ChainRow(at.position(), at.at(), "{}"));
    audit.links.remove(10);

    assertThat(ChainCheck.all(key, 0, audit.page(0, Tampers.ROWS + 1)))
        .extracting(ChainBreak::kind)
        .containsExactly(
            ChainBreak.Kind.LINK_MISSING,
            ChainBreak.Kind.ROW_INSERTED,
            ChainBreak.Kind.ROW_CHANGED,
            ChainBreak.Kind.ROW_MISSING);
  }

  /** Fails when a break inside a batch hides later breaks of the batch with --after. */
  @Test
  void verificationContinuesInsideABatch() {
    ChainKey key = new ChainKey(SECRET);
    MemoryAuditChain audit = new MemoryAuditChain();
    for (int n = 1; n <= 20; n++) {
      audit.rows.add(new ChainRow(new ChainPosition(1, n, n), Instant.EPOCH, "row " + n));
    }
    ChainLink first = key.link(null, audit.rows.subList(0, 10));
    audit.append(first, key.head(first));
    ChainLink second = key.link(first, audit.rows.subList(10, 20));
    audit.append(second, key.head(second));
    audit.rows.set(16, new ChainRow(new ChainPosition(1, 17, 17), Instant.EPOCH, "eve"));
    audit.rows.remove(12);

    assertThat(ChainCheck.all(key, 0, audit.page(0, 100)))
        .extracting(ChainBreak::sequence)
        .containsExactly(13L, 17L);
    assertThat(ChainCheck.all(key, 13, audit.page(13, 1)))
        .extracting(ChainBreak::sequence)
        .containsExactly(17L);
    assertThat(ChainCheck.all(key, 17, audit.page(17, 1))).isEmpty();
  }

  /** Fails when a page holds the texts of its rows: 200 MB for 5,000 batches of 1,000 jobs. */
  @Test
  void aRowOfAPageIsSmall() {
    assertThat(ChainRow.class.getRecordComponents())
        .extracting(RecordComponent::getType)
        .doesNotContain(String.class);
  }

  /** Fails when a link that an earlier version sealed has another signature now. */
  @Test
  void singleRowLinkHasTheFormFromBeforeBatches() {
    ChainKey key = new ChainKey(SECRET);
    ChainPosition position = new ChainPosition(1, 1_000, 7);
    Instant at = Instant.parse("2026-03-01T12:00:00.123456Z");
    String content = new ChainContent(position, at).with("actor", "ana").text();
    ChainLink first = key.link(null, List.of(new ChainRow(position, at, content)));
    ChainLink second =
        key.link(first, List.of(new ChainRow(new ChainPosition(1, 1_000, 8), at, "two")));

    assertThat(first.signature().hex())
        .isEqualTo("8dd4bbd93addc25cea9b2bbc19c5d04a5a62fa0e7d3c296acf0d31c92fa51ace");
    assertThat(second.signature().hex())
        .isEqualTo("760e6ef2cff326241e5fb20c4b0951f11a96616f686a5cf3429da7159123629a");
    assertThat(key.head(second).signature().hex())
        .isEqualTo("3bfd1df51a7d3da7614ea913de869a40a3008d6a89dbd0196ad0db406f1c210d");
  }

  /** Prints the speed of the pure part without a verdict. */
  @Tag(Figure.TAG)
  @Test
  void howManyRowsASecondAreVerified() {
    ChainKey key = new ChainKey(SECRET);
    List<ChainRow> rows = new ArrayList<>();
    List<ChainLink> links = new ArrayList<>();
    ChainLink last = null;
    for (int i = 0; i < SPEED_ROWS; i++) {
      ChainRow row =
          new ChainRow(
              new ChainPosition(1, i + 1, i),
              Instant.ofEpochSecond(i),
              "{\"seq\": %d, \"detail\": \"%s\"}".formatted(i, "x".repeat(300)));
      rows.add(row);
      if (rows.size() % BATCH == 0) {
        last = key.link(last, rows.subList(rows.size() - BATCH, rows.size()));
        links.add(last);
      }
    }
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    long began = clock.getCurrentThreadCpuTime();
    Optional<ChainBreak> found = inPages(key, links, rows);
    long took = clock.getCurrentThreadCpuTime() - began;

    assertThat(found).isEmpty();
    say("verified %d rows, %d rows/s of one core", SPEED_ROWS, SPEED_ROWS * 1_000_000_000L / took);
  }

  private static Optional<ChainBreak> inPages(
      ChainKey key, List<ChainLink> links, List<ChainRow> rows) {
    int size = 10_000 / BATCH;
    @Nullable ChainLink before = null;
    for (int from = 0; from < links.size(); from += size) {
      int to = Math.min(links.size(), from + size);
      int row = from * BATCH;
      List<ChainRow> some = rows.subList(row, Math.min(rows.size(), to * BATCH + 1));
      ChainPage page = new ChainPage(before, links.subList(from, to), some, null, false);
      Optional<ChainBreak> found = ChainCheck.first(key, row, page);
      if (found.isPresent()) {
        return found;
      }
      before = page.last();
    }
    return Optional.empty();
  }

  private static void say(String text, Object... values) {
    System.out.println("security audit " + text.formatted(values));
  }
}
