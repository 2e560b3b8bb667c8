package dev.fairlead.people.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.benchmarks.Figure;
import dev.fairlead.people.audit.memory.MemoryAuditChain;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
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
  void whatIsAsItWasSealedHasNoBreak() {
    ChainKey key = new ChainKey(SECRET);
    MemoryAuditChain audit = new Tampers(key, new Random(1)).audit;
    for (int size = 1; size <= Tampers.ROWS + 1; size++) {
      assertThat(verify(key, audit, size)).as("pages of %s", size).isEmpty();
    }
    assertThat(verify(key, new MemoryAuditChain(), 10)).isEmpty();
  }

  /** Fails when any comparison of {@link ChainCheck} is left out, or names a later row. */
  @Tag(Figure.TAG)
  @Test
  void randomTampersAreFoundAndTheFirstBadRowIsNamed() {
    ChainKey key = new ChainKey(SECRET);
    Map<Tampers.Way, Integer> found = new EnumMap<>(Tampers.Way.class);
    for (int seed = 0; seed < TAMPERS; seed++) {
      Random random = new Random(seed);
      Tampers tampers = new Tampers(key, random);
      Tampers.Way way = Tampers.Way.values()[random.nextInt(Tampers.Way.values().length)];
      long sequence = tampers.tamper(way);

      ChainBreak first =
          verify(key, tampers.audit, random.nextInt(1, Tampers.ROWS + 2)).orElse(null);

      assertThat(first).as("%s, seed %s", way, seed).isNotNull();
      assertThat(first.kind()).as("%s, seed %s", way, seed).isEqualTo(way.found);
      assertThat(first.sequence()).as("%s, seed %s", way, seed).isEqualTo(sequence);
      found.merge(way, 1, Integer::sum);
    }
    found.forEach((way, n) -> say("%-28s %5d found as %s", way, n, way.found));
    say("tampers: %d, all found, first bad row named", TAMPERS);
  }

  /** Fails when rows after the first break of a page are not compared. */
  @Test
  void everyBreakOfAPageIsFound() {
    ChainKey key = new ChainKey(SECRET);
    MemoryAuditChain audit = new Tampers(key, new Random(1)).audit;
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
      last = key.link(last, row);
      rows.add(row);
      links.add(last);
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
    int size = 10_000;
    @Nullable ChainLink before = null;
    for (int from = 0; from < links.size(); from += size) {
      ChainPage page =
          new ChainPage(
              before,
              links.subList(from, from + size),
              rows.subList(from, Math.min(rows.size(), from + size + 1)),
              null,
              false);
      Optional<ChainBreak> found = ChainCheck.first(key, from, page);
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
