package dev.fairlead.people.audit.memory;

import dev.fairlead.people.audit.chain.AuditChain;
import dev.fairlead.people.audit.chain.ChainHead;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPage;
import dev.fairlead.people.audit.chain.ChainPosition;
import dev.fairlead.people.audit.chain.ChainRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * In-memory implementation of {@link AuditChain} for manipulations. Every row before the horizon is
 * committed.
 */
public final class MemoryAuditChain implements AuditChain {
  public final List<ChainLink> links = new ArrayList<>();
  public final List<ChainRow> rows = new ArrayList<>();
  public final List<ChainHead> heads = new ArrayList<>();
  public ChainPosition horizon = new ChainPosition(3, Long.MAX_VALUE, 0);

  @Override
  public Optional<ChainLink> last() {
    return links.stream().max(Comparator.comparingLong(ChainLink::sequence));
  }

  @Override
  public Optional<ChainLink> link(long sequence) {
    return links.stream().filter(link -> link.sequence() == sequence).findFirst();
  }

  @Override
  public Optional<ChainHead> newestHead() {
    return heads.stream().max(Comparator.comparingLong(ChainHead::sequence));
  }

  @Override
  public ChainPosition horizon() {
    return horizon;
  }

  @Override
  public List<ChainRow> unsealed(ChainPosition after, int limit) {
    return behind(after, limit).stream()
        .filter(row -> row.position().compareTo(horizon) < 0)
        .toList();
  }

  @Override
  public void append(ChainLink link, ChainHead head) {
    if (links.stream().anyMatch(old -> old.sequence() >= link.first())) {
      throw new IllegalStateException("sealed already");
    }
    links.add(link);
    heads.removeIf(old -> old.sequence() >= link.first());
    heads.add(head);
  }

  @Override
  public ChainPage page(long after, int limit) {
    List<ChainLink> sorted =
        links.stream().sorted(Comparator.comparingLong(ChainLink::sequence)).toList();
    List<ChainLink> behind = sorted.stream().filter(link -> link.sequence() > after).toList();
    int earlier = sorted.size() - behind.size();
    ChainLink before = earlier == 0 ? null : sorted.get(earlier - 1);
    List<ChainLink> found =
        behind.stream()
            .filter(link -> link == behind.getFirst() || link.sequence() <= after + limit)
            .toList();
    ChainPosition from = before == null ? ChainPosition.START : before.position();
    int rows = found.stream().mapToInt(link -> link.rows().size()).sum();
    ChainHead head = newestHead().orElse(null);
    boolean end = found.size() == behind.size();
    return new ChainPage(before, found, behind(from, rows + 1), head, end);
  }

  @Override
  public Waiting waiting(ChainPosition after) {
    List<ChainRow> behind = behind(after, Waiting.MOST);
    return new Waiting(
        behind.size(),
        behind.stream().map(ChainRow::at).min(Comparator.naturalOrder()).orElse(null));
  }

  private List<ChainRow> behind(ChainPosition position, int limit) {
    return rows.stream()
        .filter(row -> row.position().compareTo(position) > 0)
        .sorted(Comparator.comparing(ChainRow::position))
        .limit(limit)
        .toList();
  }
}
