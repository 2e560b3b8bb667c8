package dev.fairlead.audit.memory;

import dev.fairlead.audit.AuditChain;
import dev.fairlead.audit.ChainHead;
import dev.fairlead.audit.ChainLink;
import dev.fairlead.audit.ChainPage;
import dev.fairlead.audit.ChainPosition;
import dev.fairlead.audit.ChainRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Twin of {@link AuditChain} of which everything can be tampered with; every row has ended. */
public final class MemoryAuditChain implements AuditChain {
  public final List<ChainLink> links = new ArrayList<>();
  public final List<ChainRow> rows = new ArrayList<>();
  public final List<ChainHead> heads = new ArrayList<>();

  @Override
  public Optional<ChainLink> last() {
    return links.stream().max(Comparator.comparingLong(ChainLink::sequence));
  }

  @Override
  public List<ChainRow> unsealed(ChainPosition after, @Nullable Instant since, int limit) {
    return behind(after, limit).stream()
        .filter(row -> since == null || !row.at().isBefore(since))
        .toList();
  }

  @Override
  public void append(List<ChainLink> added, ChainHead head) {
    links.addAll(added);
    heads.add(head);
  }

  @Override
  public ChainPage page(long after, int limit) {
    ChainLink before =
        links.stream().filter(link -> link.sequence() == after).findFirst().orElse(null);
    List<ChainLink> found =
        links.stream()
            .filter(link -> link.sequence() > after)
            .sorted(Comparator.comparingLong(ChainLink::sequence))
            .limit(limit)
            .toList();
    ChainPosition from = before == null ? ChainPosition.START : before.position();
    ChainHead head = heads.stream().max(Comparator.comparingLong(ChainHead::sequence)).orElse(null);
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
