package dev.fairlead.people.audit.memory;

import dev.fairlead.people.audit.AuditChain;
import dev.fairlead.people.audit.ChainHead;
import dev.fairlead.people.audit.ChainLink;
import dev.fairlead.people.audit.ChainPage;
import dev.fairlead.people.audit.ChainPosition;
import dev.fairlead.people.audit.ChainRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Twin of {@link AuditChain} for manipulations; every row before the horizon has ended. */
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
  public void append(List<ChainLink> added, ChainHead head) {
    links.addAll(added);
    heads.removeIf(old -> old.sequence() >= added.getFirst().sequence());
    heads.add(head);
  }

  @Override
  public ChainPage page(long after, int limit) {
    ChainLink before = link(after).orElse(null);
    List<ChainLink> found =
        links.stream()
            .filter(link -> link.sequence() > after)
            .sorted(Comparator.comparingLong(ChainLink::sequence))
            .limit(limit)
            .toList();
    ChainPosition from = before == null ? ChainPosition.START : before.position();
    ChainHead head = newestHead().orElse(null);
    return new ChainPage(before, found, behind(from, found.size() + 1), head, found.size() < limit);
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
